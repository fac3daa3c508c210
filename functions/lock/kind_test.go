package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestKindOfRecordedEvents goes by the files' names, so that a file of no known
// kind fails.
func TestKindOfRecordedEvents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d recorded events (%v)", len(files), err)
	}
	kinds := map[string]kind{
		"http_api_v2_":  kindHTTPAPI,
		"http_api_v1_":  kindHTTPAPIv1,
		"rest_v1_":      kindREST,
		"function_url_": kindFunctionURL,
		"direct_":       kindCommand,
		"neither_":      kindNeither,
		"schedule_":     kindSchedule,
		"stream_":       kindStream,
	}
	for _, file := range files {
		name := filepath.Base(file)
		want, known := kindNeither, false
		for prefix, k := range kinds {
			if strings.HasPrefix(name, prefix) {
				want, known = k, true
			}
		}
		if !known {
			t.Errorf("%s: the name tells no kind", name)
		}
		if got := kindOf(recorded(t, name)); got != want {
			t.Errorf("%s: kind %s, want %s", name, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		event string
		want  kind
	}{
		{``, kindNeither},
		{`null`, kindNeither},
		{`"op"`, kindNeither},
		{`{`, kindNeither},
		{`{}`, kindNeither},
		{`{"op":"acquire"`, kindNeither},
		{`{"OP":"acquire"}`, kindNeither},
		{`{"op":null}`, kindCommand}, // the service says what is wrong with it
		{`{"op":7,"ws":[]}`, kindCommand},
		{`{"op":"acquire","requestContext":{}}`, kindNeither},
		{`{"op":"acquire","requestContext":"x"}`, kindNeither},
		{`{"version":"2.0"}`, kindNeither},
		{`{"version":"2.0","requestContext":{}}`, kindNeither},
		{`{"version":2.0,"requestContext":{"http":{}}}`, kindNeither},
		{`{"version":"2.0","requestContext":{"http":{}}}`, kindHTTPAPI},
		{`{"version":"2.0","requestContext":{"http":{},"domainName":"x.lambda-url.eu-west-1.on.aws"}}`, kindFunctionURL},
		{`{"version":"3.0","httpMethod":"GET","requestContext":{}}`, kindNeither},
		{`{"version":"1.0","httpMethod":"GET","requestContext":{}}`, kindHTTPAPIv1},
		{`{"httpMethod":"GET","requestContext":{}}`, kindREST},
		{`{"httpMethod":"GET"}`, kindNeither},
		{`{"httpMethod":"GET","type":"REQUEST","requestContext":{}}`, kindNeither},
	} {
		if got := kindOf([]byte(test.event)); got != test.want {
			t.Errorf("%s: kind %s, want %s", test.event, got, test.want)
		}
	}
}
