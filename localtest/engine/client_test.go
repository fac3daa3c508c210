package engine_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/statelock/statelock/localtest/engine"
)

func request(t *testing.T, ctx context.Context, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://anywhere.test/path?q=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHTTPClientCallsTheHandler(t *testing.T) {
	t.Parallel()
	client := engine.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Host != "anywhere.test" || r.RequestURI != "/path?q=1" {
			t.Errorf("handler got %s %s, %v", r.Host, r.RequestURI, err)
		}
		w.Header().Set("X-Test", "yes")
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK) // too late
		write(t, w, "got "+string(body))
	}))
	response, err := client.Do(request(t, t.Context(), "this"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "got this" || response.StatusCode != http.StatusTeapot ||
		response.Header.Get("X-Test") != "yes" || response.ContentLength != int64(len(body)) {
		t.Errorf("%v %q, %v", response, body, err)
	}
}

// A request that is given up returns, though its handler still works.
func TestHTTPClientHonoursTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls int
		release := make(chan struct{})
		client := engine.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls++
			<-release
			write(t, w, "too late")
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := client.Do(request(t, ctx, "")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after the deadline: %v", err)
		}
		close(release)
		synctest.Wait()
		if _, err := client.Do(request(t, ctx, "")); !errors.Is(err, context.DeadlineExceeded) || calls != 1 {
			t.Errorf("with a context that is over: %v, %d calls", err, calls)
		}
	})
}

// A handler that breaks off is a connection that breaks.
func TestHTTPClientSurvivesPanics(t *testing.T) {
	t.Parallel()
	client := engine.HTTPClient(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	if _, err := client.Do(request(t, t.Context(), "")); err == nil || !strings.Contains(err.Error(), "handler broke off") {
		t.Errorf("%v", err)
	}
}

// A write whose client gave up before it began is not done.
func TestCancelledWriteIsNotDone(t *testing.T) {
	t.Parallel()
	e := engine.New()
	createThings(t, e.Client())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := request(t, ctx, `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}`)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if got := get(t, e.Client(), key("p", "s")); got != nil {
		t.Errorf("written: %v", got)
	}
}
