package client_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/statelock/statelock/pkg/client"
)

func TestURLs(t *testing.T) {
	t.Parallel()
	for url, ok := range map[string]bool{
		"https://locks.example.com":          true,
		"https://locks.example.com/stage/":   true,
		"http://127.0.0.1:8420":              true,
		"http://locks.example.com":           false, // with credentials
		"locks.example.com":                  false,
		"":                                   false,
		"ftp://locks.example.com":            false,
		"https://user:secret@example.com":    false,
		"https://locks.example.com/?stage=1": false,
	} {
		_, err := client.New(url, client.Options{Credentials: client.Bearer("t")})
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := client.New("http://locks.example.com", client.Options{}); err != nil {
		t.Error(err)
	}
}

// Each scheme reaches the service as its standard says, under a base path too.
func TestCredentials(t *testing.T) {
	t.Parallel()
	var seen *http.Request
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `{"message":"Forbidden"}`) //nolint:errcheck // a test's answer
	}))
	defer s.Close()
	key := credentials.NewStaticCredentialsProvider("AKID", "secret", "session")
	for name, c := range map[string]client.Credentials{"bearer": client.Bearer("t0ken"), "basic": client.Basic("jane", "pass"), "sigv4": client.SigV4(key, "eu-west-1")} {
		cl, err := client.New(s.URL+"/stage/", client.Options{Credentials: c})
		if err != nil {
			t.Fatal(err)
		}
		_, err = cl.Acquire(t.Context(), client.Request{Workspace: "team/prod", Runner: "a"})
		refused, ok := errors.AsType[*client.RefusedError](err)
		if !ok || refused.Status != 403 || refused.Reason != "the service answered 403 Forbidden" {
			t.Errorf("%s: %v", name, err)
		}
		if seen.URL.Path != "/stage/v1/acquire" || seen.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %v", name, seen.URL, seen.Header)
		}
		switch name {
		case "bearer":
			if got := seen.Header.Get("Authorization"); got != "Bearer t0ken" {
				t.Error(got)
			}
		case "basic":
			if user, password, _ := seen.BasicAuth(); user != "jane" || password != "pass" {
				t.Error(seen.Header)
			}
		case "sigv4":
			checkSignature(t, seen, s.Listener.Addr().String(), body)
			// A GET with a query is signed as well.
			for _, err := range cl.List(t.Context(), client.Query{Prefix: "team/", State: "held"}) {
				if err == nil {
					t.Error("not refused")
				}
			}
			checkSignature(t, seen, s.Listener.Addr().String(), body)
		}
	}
}

// checkSignature signs what arrived anew, and compares.
func checkSignature(t *testing.T, got *http.Request, host string, body []byte) {
	t.Helper()
	at, err := time.Parse("20060102T150405Z", got.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := http.NewRequestWithContext(t.Context(), got.Method, "http://"+host+got.URL.RequestURI(), strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	for name := range got.Header {
		if name != "Authorization" && name != "Accept-Encoding" {
			again.Header.Set(name, got.Header.Get(name))
		}
	}
	key := aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret", SessionToken: "session"}
	if err := v4.NewSigner().SignHTTP(t.Context(), key, again, sha(body), "execute-api", "eu-west-1", at); err != nil {
		t.Fatal(err)
	}
	if g, w := got.Header.Get("Authorization"), again.Header.Get("Authorization"); g != w || !strings.Contains(g, "/eu-west-1/execute-api/aws4_request") {
		t.Errorf("signed %s\nwant   %s", g, w)
	}
}

func TestAPIGatewayRegion(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"abc.execute-api.eu-west-1.amazonaws.com":     "eu-west-1",
		"abc.execute-api.cn-north-1.amazonaws.com.cn": "cn-north-1",
		"locks.example.com":                           "",
		"execute-api.eu-west-1.amazonaws.com":         "",
	} {
		if got, ok := client.APIGatewayRegion(host); got != want || ok != (want != "") {
			t.Errorf("%s: %q", host, got)
		}
	}
}

// What is not this service is not believed, whatever its status.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"page":        func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>Sign in</html>") }, //nolint:errcheck // a test's answer
		"other JSON":  func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"ok":true}`) },          //nolint:errcheck // a test's answer
		"another":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, foreignLock) },            //nolint:errcheck // a test's answer
		"created":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201) },
		"redirect":    func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/"); w.WriteHeader(302) },
		"bare 423":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(423) },
		"breaks off":  func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "9") },
		"unavailable": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(answer)
			defer s.Close()
			c, err := client.New(s.URL, client.Options{Patience: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Acquire(t.Context(), client.Request{Workspace: "prod", Runner: "a"})
			if lost, ok := errors.AsType[*client.UnreachableError](err); !ok || !lost.Unsure {
				t.Errorf("%v", err)
			}
		})
	}
}

const foreignLock = `{"ok":true,"holder":"a","lock_id":"another","fence":1,"lock":{"ws":"prod","state":"held","owner":"a","lock_id":"another","fence":1}}`

func sha(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
