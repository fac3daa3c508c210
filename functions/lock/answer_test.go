package main

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answers has the recorded event that each payload format is tried with.
var answers = map[string]string{"2.0": "http_api_v2_acquire.json", "1.0": "rest_v1_mark_stale.json"}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		serve http.HandlerFunc
		want  map[string]string // payload format -> answer
	}{
		"json": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Request-Id", "r1")
				w.WriteHeader(http.StatusLocked)
				w.WriteHeader(http.StatusOK)   // too late
				w.Header().Set("X-Late", "no") // too late
				_, _ = w.Write([]byte(`{"ok":false}`))
			},
			map[string]string{
				"2.0": `{"statusCode":423,"headers":{"Content-Type":"application/json","X-Request-Id":"r1"},"multiValueHeaders":null,
					"body":"{\"ok\":false}","cookies":null}`,
				"1.0": `{"statusCode":423,"headers":null,"multiValueHeaders":{"Content-Type":["application/json"],"X-Request-Id":["r1"]},
					"body":"{\"ok\":false}"}`,
			},
		},
		"several values and cookies": {
			func(w http.ResponseWriter, _ *http.Request) {
				for _, v := range []string{"a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"} {
					w.Header().Add("Set-Cookie", v)
				}
				w.Header().Add("Vary", "Accept")
				w.Header().Add("Vary", "Origin")
				w.WriteHeader(http.StatusNoContent)
			},
			map[string]string{
				"2.0": `{"statusCode":204,"headers":{"Vary":"Accept, Origin"},"multiValueHeaders":null,"body":"",
					"cookies":["a=1; Path=/","b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"]}`,
				"1.0": `{"statusCode":204,"headers":null,"body":"","multiValueHeaders":{
					"Set-Cookie":["a=1; Path=/","b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT"],"Vary":["Accept","Origin"]}}`,
			},
		},
		"not text": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/octet-stream")
				_, _ = w.Write([]byte{0x1f, 0x8b, 0, 0xff})
			},
			map[string]string{
				"2.0": `{"statusCode":200,"headers":{"Content-Type":"application/octet-stream"},"multiValueHeaders":null,
					"body":"H4sA/w==","isBase64Encoded":true,"cookies":null}`,
				"1.0": `{"statusCode":200,"headers":null,"multiValueHeaders":{"Content-Type":["application/octet-stream"]},
					"body":"H4sA/w==","isBase64Encoded":true}`,
			},
		},
		"nothing written": {
			func(http.ResponseWriter, *http.Request) {},
			map[string]string{
				"2.0": `{"statusCode":200,"headers":{},"multiValueHeaders":null,"body":"","cookies":null}`,
				"1.0": `{"statusCode":200,"headers":null,"multiValueHeaders":{},"body":""}`,
			},
		},
		"unnamed type": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusEarlyHints) // no answer yet
				_, _ = w.Write([]byte("plain"))
			},
			map[string]string{
				"2.0": `{"statusCode":200,"headers":{"Content-Type":"text/plain; charset=utf-8"},"multiValueHeaders":null,
					"body":"plain","cookies":null}`,
				"1.0": `{"statusCode":200,"headers":null,"multiValueHeaders":{"Content-Type":["text/plain; charset=utf-8"]},"body":"plain"}`,
			},
		},
	} {
		for format, want := range test.want {
			t.Run(name+"/"+format, func(t *testing.T) {
				t.Parallel()
				h, _ := newTest(fakeService{serve: test.serve})
				answer, err := h.Invoke(t.Context(), recorded(t, answers[format]))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(decode(t, []byte(want)), decode(t, answer)); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		}
	}
}

// TestCompressedBody is what base64 is there for.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	w := newResponse()
	zip := gzip.NewWriter(w)
	if _, err := zip.Write([]byte(strings.Repeat("state", 100))); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if _, encoded := w.text(); !encoded {
		t.Error("a gzip stream was taken for text")
	}
}

// TestHeadHasNoBody: the mux serves HEAD by the handlers of GET.
func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	w := newResponse()
	if _, err := w.Write([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	w.close(http.MethodHead)
	if body, _ := w.text(); body != "" || w.status != http.StatusOK {
		t.Errorf("status %d, body %q", w.status, body)
	}
}

func decode(t *testing.T, doc []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v
}
