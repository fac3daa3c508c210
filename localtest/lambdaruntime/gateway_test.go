package lambdaruntime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// capture returns a function that keeps the event and gives the answer.
func capture(event *map[string]any, answer string) func(context.Context, []byte) ([]byte, error) {
	return func(_ context.Context, doc []byte) ([]byte, error) {
		*event = nil
		return []byte(answer), json.Unmarshal(doc, event)
	}
}

// through sends a request through a gateway.
func through(g *Gateway, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

func TestGatewayEvent(t *testing.T) {
	t.Parallel()
	var event map[string]any
	g := &Gateway{
		Invoke: capture(&event, `{"statusCode":200}`),
		Stage:  "prod",
		Authorize: func(r *http.Request) (map[string]any, error) {
			return map[string]any{"iam": map[string]any{"userArn": r.Header.Get("X-Test-Caller")}}, nil
		},
	}
	r := httptest.NewRequest("POST", "http://a1b2c3.execute-api.us-east-1.amazonaws.com:8420/prod/v1/team%20a?x=1&x=2&y=a%2Fb", strings.NewReader(`{"ws":"prod"}`))
	r.RemoteAddr = "203.0.113.24:4711"
	r.Header = http.Header{
		"Content-Type": {"application/json; charset=utf-8"}, "Cookie": {"a=1; b=2", "c=3"}, "User-Agent": {"test/1"},
		"X-Forwarded-For": {"198.51.100.7"}, "X-Tag": {"one", "two, three"}, "X-Test-Caller": {"arn:aws:iam::123456789012:user/jane"},
		"Connection": {"close"},
	}
	if w := through(g, r); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Apigw-Requestid") == "" {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
	// What differs every time has a form.
	inner, headers := event["requestContext"].(map[string]any), event["headers"].(map[string]any)
	for name, form := range map[string]struct {
		value any
		re    string
	}{
		"requestId": {inner["requestId"], `^[A-Za-z0-9+/]{15}=$`},
		"time":      {inner["time"], `^\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000$`},
		"trace":     {headers["x-amzn-trace-id"], `^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$`},
	} {
		if s, _ := form.value.(string); !regexp.MustCompile(form.re).MatchString(s) {
			t.Errorf("%s: %v", name, form.value)
		}
	}
	if epoch, _ := inner["timeEpoch"].(float64); epoch < 1.7e12 {
		t.Errorf("time in milliseconds: %v", inner["timeEpoch"])
	}
	for _, name := range []string{"requestId", "time", "timeEpoch"} {
		delete(inner, name)
	}
	delete(headers, "x-amzn-trace-id")
	want := map[string]any{
		"version":        "2.0",
		"routeKey":       "$default",
		"rawPath":        "/prod/v1/team a",
		"rawQueryString": "x=1&x=2&y=a%2Fb",
		"cookies":        []any{"a=1", "b=2", "c=3"},
		"headers": map[string]any{
			"content-type": "application/json; charset=utf-8", "host": "a1b2c3.execute-api.us-east-1.amazonaws.com",
			"user-agent": "test/1", "x-forwarded-for": "198.51.100.7, 203.0.113.24", "x-forwarded-port": "443",
			"x-forwarded-proto": "https", "x-tag": "one,two, three", "x-test-caller": "arn:aws:iam::123456789012:user/jane",
		},
		"queryStringParameters": map[string]any{"x": "1,2", "y": "a/b"},
		"requestContext": map[string]any{
			"accountId": "123456789012", "apiId": "a1b2c3",
			"authorizer": map[string]any{"iam": map[string]any{"userArn": "arn:aws:iam::123456789012:user/jane"}},
			"domainName": "a1b2c3.execute-api.us-east-1.amazonaws.com", "domainPrefix": "a1b2c3",
			"http": map[string]any{
				"method": "POST", "path": "/prod/v1/team a", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.24", "userAgent": "test/1",
			},
			"routeKey": "$default", "stage": "prod",
		},
		"body":            `{"ws":"prod"}`,
		"isBase64Encoded": false,
	}
	if diff := cmp.Diff(want, event); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestGatewayPaths has the paths that were sent to live HTTP APIs, and what
// arrived.
func TestGatewayPaths(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"/plain": "/plain", "/space%20value": "/space value", "/question%3Fvalue": "/question", "/hash%23value": "/hash#value",
		"/slash%2Fvalue": "/slash/value", "/unicode-%CE%BB": "/unicode-λ", "/literal%252Fvalue": "/literal/value",
		"/literal%253Fvalue": "/literal?value", "/literal%2525value": "/literal%value",
	} {
		var event map[string]any
		g := &Gateway{Invoke: capture(&event, `{}`)}
		through(g, httptest.NewRequest("GET", sent, nil))
		if event["rawPath"] != want {
			t.Errorf("%s: %v, want %s", sent, event["rawPath"], want)
		}
		if _, there := event["body"]; there || event["queryStringParameters"] != nil || event["cookies"] != nil {
			t.Errorf("%s: %v", sent, event)
		}
	}
}

func TestGatewayBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, encoding, body string
		want                 string
		base64               bool
	}{
		{"application/json", "", `{}`, `{}`, false},
		{"text/csv; charset=utf-8", "", "ä", "ä", false},
		{"application/json", "gzip", "\x1f\x8b", "H4s=", true},
		{"text/plain", "", "\xff", "/w==", true},
		{"", "", `{}`, "e30=", true},
		{"application/x-www-form-urlencoded", "", "a=1", "YT0x", true},
		{"application/octet-stream", "", "x", "eA==", true},
	} {
		var event map[string]any
		g := &Gateway{Invoke: capture(&event, `{}`)}
		r := httptest.NewRequest("POST", "/", strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.kind)
		if test.encoding != "" {
			r.Header.Set("Content-Encoding", test.encoding)
		}
		through(g, r)
		if event["body"] != test.want || event["isBase64Encoded"] != test.base64 {
			t.Errorf("%+v: %v, base64 %v", test, event["body"], event["isBase64Encoded"])
		}
	}
}

func TestGatewayRefuses(t *testing.T) {
	t.Parallel()
	var calls int
	invoke := func(context.Context, []byte) ([]byte, error) { calls++; return []byte(`{}`), nil }
	refuse := func(err error) *Gateway {
		return &Gateway{Invoke: invoke, Authorize: func(*http.Request) (map[string]any, error) { return nil, err }}
	}
	for name, test := range map[string]struct {
		gateway *Gateway
		request *http.Request
		status  int
		body    string
	}{
		"LOCK":      {&Gateway{Invoke: invoke}, httptest.NewRequest("LOCK", "/v1/tf/prod", nil), 404, `{"message":"Not Found"}`},
		"UNLOCK":    {&Gateway{Invoke: invoke}, httptest.NewRequest("UNLOCK", "/v1/tf/prod", nil), 404, `{"message":"Not Found"}`},
		"no stage":  {&Gateway{Invoke: invoke, Stage: "prod"}, httptest.NewRequest("GET", "/production/v1", nil), 404, `{"message":"Not Found"}`},
		"path":      {&Gateway{Invoke: invoke}, httptest.NewRequest("GET", "/percent%25done", nil), 400, `{"message":"Bad Request"}`},
		"JWT":       {refuse(ErrUnauthorized), httptest.NewRequest("GET", "/", nil), 401, `{"message":"Unauthorized"}`},
		"IAM":       {refuse(ErrForbidden), httptest.NewRequest("GET", "/", nil), 403, `{"message":"Forbidden"}`},
		"long body": {&Gateway{Invoke: invoke}, httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, MaxBody+1))), 413, `{"message":"Request Entity Too Large"}`},
	} {
		if w := through(test.gateway, test.request); w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if calls != 0 {
		t.Errorf("%d requests came through", calls)
	}
}

func TestGatewayAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer string
		err    error
		status int
		body   string
	}{
		{`{"statusCode":423,"body":"held"}`, nil, 423, "held"},
		{`{"statusCode":200,"body":"H4s=","isBase64Encoded":true}`, nil, 200, "\x1f\x8b"},
		{`{"ok":true}`, nil, 200, `{"ok":true}`}, // no status code: all of it is the body
		{`"text"`, nil, 200, `"text"`},
		{`{"statusCode":200,"body":"!","isBase64Encoded":true}`, nil, 500, `{"message":"Internal Server Error"}`},
		{`{"statusCode":"x"}`, nil, 500, `{"message":"Internal Server Error"}`},
		{`{"statusCode":99}`, nil, 500, `{"message":"Internal Server Error"}`},
		{`not JSON`, nil, 500, `{"message":"Internal Server Error"}`},
		{``, &FunctionError{Type: "Runtime.ExitError"}, 500, `{"message":"Internal Server Error"}`},
		{``, errors.New("any"), 500, `{"message":"Internal Server Error"}`},
		{``, ErrRequestTooLong, 413, `{"message":"Request Entity Too Large"}`},
	} {
		g := &Gateway{Invoke: func(context.Context, []byte) ([]byte, error) { return []byte(test.answer), test.err }}
		if w := through(g, httptest.NewRequest("GET", "/", nil)); w.Code != test.status || w.Body.String() != test.body {
			t.Errorf("%s, %v: %d %s", test.answer, test.err, w.Code, w.Body)
		}
	}
	g := &Gateway{Invoke: func(context.Context, []byte) ([]byte, error) {
		return []byte(`{"statusCode":200,"headers":{"X-One":"1, 2"},"cookies":["a=1","b=2"]}`), nil
	}}
	h := through(g, httptest.NewRequest("GET", "/", nil)).Header()
	if diff := cmp.Diff([]string{"a=1", "b=2"}, h["Set-Cookie"]); diff != "" || h.Get("X-One") != "1, 2" {
		t.Errorf("headers %v", h)
	}
}

// TestGatewayBeforeAFunction: the whole way, with an event over Lambda's limit
// at the end.
func TestGatewayBeforeAFunction(t *testing.T) {
	t.Parallel()
	f := start(t, Options{})
	server := httptest.NewServer(&Gateway{Invoke: f.Invoke})
	t.Cleanup(server.Close)
	resp, err := http.Get(server.URL + "/any")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != 200 || string(body) != "null" {
		t.Errorf("%d %s %v", resp.StatusCode, body, err)
	}
	resp, err = http.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", MaxPayload)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("an event over 6 MiB: %d", resp.StatusCode)
	}
}
