package torture

import (
	"net/http"
	"runtime"
)

// jostle is an http.RoundTripper that lets others go first, before and after
// each request. In one process a request would else run from end to end with
// nobody in its way.
type jostle struct{ next http.RoundTripper }

const goFirst = 3

// RoundTrip passes the request on.
func (j jostle) RoundTrip(r *http.Request) (*http.Response, error) {
	for range goFirst {
		runtime.Gosched()
	}
	resp, err := j.next.RoundTrip(r)
	for range goFirst {
		runtime.Gosched()
	}
	return resp, err
}
