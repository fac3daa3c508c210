package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy is a hop that can go wrong, and counts what passes.
type proxy struct {
	url    string
	target *url.URL
	name   func(*http.Request) string

	mu     sync.Mutex
	counts map[string]int
	faults map[string][]fault // by the names of requests, each used up once
	always map[string]fault
}

// fault deals with a request in place of the proxy. deliver performs it, and
// gives the answer.
type fault func(w http.ResponseWriter, r *http.Request, deliver func() *httptest.ResponseRecorder)

// newProxy leads to a server. name names requests, in counts and for faults.
func newProxy(t *testing.T, target string, name func(*http.Request) string) *proxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{target: to, name: name, counts: map[string]int{}, faults: map[string][]fault{}, always: map[string]fault{}}
	deliver := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		// Its caller hears of it.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := p.fault(name(r)); f != nil {
			f(w, r, func() *httptest.ResponseRecorder {
				answer := httptest.NewRecorder()
				deliver.ServeHTTP(answer, r)
				return answer
			})
			return
		}
		deliver.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// fault counts a request, and gives what is to go wrong with it.
func (p *proxy) fault(name string) fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[name]++
	if next := p.faults[name]; len(next) > 0 {
		p.faults[name] = next[1:]
		return next[0]
	}
	return p.always[name]
}

// next has the next requests of a name go wrong, a fault each.
func (p *proxy) next(name string, faults ...fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[name] = append(p.faults[name], faults...)
}

// from now on has all requests of a name go wrong; nil ends it.
func (p *proxy) all(name string, f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always[name] = f
}

// spent tells whether all single faults have happened.
func (p *proxy) spent() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, left := range p.faults {
		if len(left) > 0 {
			return fmt.Errorf("%d faults of %s did not happen; there were %v", len(left), name, p.counts)
		}
	}
	return nil
}

func (p *proxy) count(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[name]
}

// await waits until there were so many requests of a name.
func (p *proxy) await(t *testing.T, name string, n int) {
	t.Helper()
	for until := time.Now().Add(patience); p.count(name) < n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d requests %s, want %d", p.count(name), name, n)
		}
	}
}

// loseReply performs the request; its answer never comes, for the connection
// breaks.
func loseReply(_ http.ResponseWriter, _ *http.Request, deliver func() *httptest.ResponseRecorder) {
	deliver()
	panic(http.ErrAbortHandler)
}

// answer answers in place of the server, which does not hear of the request.
func answer(status int) fault {
	return func(w http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request whose answer is known
		w.WriteHeader(status)
	}
}

// cutUpload delivers the first half of the body and breaks the connection on
// both sides, as a client does that is killed in the middle. done is closed
// when the server has given up on the request.
func (p *proxy) cutUpload(t *testing.T, done chan<- struct{}) fault {
	return func(_ http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
		defer close(done)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the upload did not arrive: %v", err)
			return
		}
		half(t, p.target.Host, r, body)
		panic(http.ErrAbortHandler)
	}
}

// half sends a request with half of its body over a connection of its own,
// shuts that, and waits until the server does so, too.
func half(t *testing.T, host string, r *http.Request, body []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", r.Method, r.URL.RequestURI(), host, len(body))
	for _, name := range []string{"Content-Type", "Content-MD5", "Authorization"} {
		if value := r.Header.Get(name); value != "" {
			fmt.Fprintf(&head, "%s: %s\r\n", name, value)
		}
	}
	head.WriteString("\r\n")
	conn.Write(append(head.Bytes(), body[:len(body)/2]...)) //nolint:errcheck // what comes of it is checked
	conn.(*net.TCPConn).CloseWrite()                        //nolint:errcheck // as above
	conn.SetReadDeadline(time.Now().Add(patience))          //nolint:errcheck // as above
	answer, _ := io.ReadAll(conn)
	if strings.HasPrefix(string(answer), "HTTP/1.1 2") {
		t.Errorf("half a body was accepted: %s", answer)
	}
}

// tfOperation names what Terraform and OpenTofu ask for, in whichever way.
func tfOperation(r *http.Request) string {
	lockPath := strings.HasPrefix(r.URL.Path, "/v1/tf-lock/")
	switch {
	case r.Method == "LOCK", lockPath && r.Method == "POST":
		return "lock"
	case r.Method == "UNLOCK", lockPath && r.Method == "DELETE":
		return "unlock"
	case r.Method == "POST":
		return "post"
	}
	return strings.ToLower(r.Method)
}
