package engines

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

// The second request waits for the first, even when the first one's client has
// gone, and the first one's work goes on undisturbed.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var inside []string
		finish := make(chan struct{})
		handler := oneAtATime(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			inside = append(inside, r.URL.Path)
			select {
			case <-finish:
			case <-r.Context().Done():
				t.Errorf("%s was given up before it was answered", r.URL.Path)
			}
			inside = inside[1:]
		}))
		serve := func(ctx context.Context, path string) {
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader("x"))
			handler.ServeHTTP(httptest.NewRecorder(), r)
		}
		expect := func(when, want string) {
			t.Helper()
			synctest.Wait()
			if got := strings.Join(inside, " "); got != want {
				t.Errorf("%s, being served: %q, want %q", when, got, want)
			}
		}

		first, leave := context.WithCancel(t.Context())
		go serve(first, "/first")
		expect("at first", "/first")
		go serve(t.Context(), "/second")
		expect("after a second came", "/first")
		leave()
		expect("after the first client left", "/first")
		finish <- struct{}{}
		expect("after the first was answered", "/second")
		finish <- struct{}{}
		expect("at last", "")
	})
}
