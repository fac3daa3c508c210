package client

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// world is a service with its table, and the network to it. All of it is in
// process and goes by the clock of the test's bubble.
type world struct {
	*Client
	api http.Handler

	mu       sync.Mutex
	requests map[string]int          // by path
	keys     []string                // Idempotency-Keys as they came, losses included
	bodies   map[string]string       // the last body, by path
	fault    func(path string) fault // for the next request; nil for none
}

// fault is what becomes of a request.
type fault int

const (
	none       fault = iota
	refusedTCP       // nobody listens
	lostReply        // done, but the connection breaks
	blackHole        // neither a reply nor an error, until the caller gives up
	gone500          // an answer of something in between
	forbidden        // the same, with status 403
	slowReply        // done at once, answered after 5 s
)

func newWorld(t *testing.T, leases lockapi.Leases, store ddbstore.Options) *world {
	t.Helper()
	e := engine.New()
	store.Table = "locks"
	db := e.Client()
	if err := ddbstore.CreateTable(t.Context(), db, store.Table); err != nil {
		t.Fatal(err)
	}
	w := &world{
		requests: map[string]int{}, bodies: map[string]string{},
		api: lockapi.New(ddbstore.New(db, store), lockapi.Options{Log: slog.New(slog.DiscardHandler), Leases: leases}),
	}
	c, err := New("http://localhost", Options{Transport: w})
	if err != nil {
		t.Fatal(err)
	}
	w.Client = c
	return w
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(cmp.Or(r.Body, io.ReadCloser(http.NoBody)))
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.mu.Lock()
	w.bodies[r.URL.Path] = string(body)
	w.requests[r.URL.Path]++
	w.keys = append(w.keys, r.Header.Get("Idempotency-Key"))
	f := none
	if w.fault != nil {
		f = w.fault(r.URL.Path)
	}
	w.mu.Unlock()
	switch f {
	case refusedTCP:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case lostReply:
		if resp, err := (inProcess{w.api}).RoundTrip(r); err == nil {
			resp.Body.Close()
		}
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case slowReply:
		resp, err := inProcess{w.api}.RoundTrip(r)
		time.Sleep(5 * time.Second)
		return resp, err
	case blackHole:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case gone500, forbidden:
		w := &response{header: http.Header{}}
		w.WriteHeader(map[fault]int{gone500: http.StatusInternalServerError, forbidden: http.StatusForbidden}[f])
		return w.result(r), nil
	}
	return inProcess{w.api}.RoundTrip(r)
}

// set has requests meet a fault: the next n ones of a path ("" for any), all of
// them where n is negative.
func (w *world) set(f fault, path string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = func(p string) fault {
		if n == 0 || path != "" && path != p {
			return none
		}
		n--
		return f
	}
}

// then has all further requests of a path meet another fault.
func (w *world) then(f fault, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.fault
	w.fault = func(p string) fault {
		if got := before(p); got != none || p != path {
			return got
		}
		return f
	}
}

func (w *world) up() { w.set(none, "", 0) }

func (w *world) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[path]
}

func (w *world) acquire(t *testing.T, r Request) *Lock {
	t.Helper()
	l, err := w.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Abandon)
	return l
}

func (w *world) status(t *testing.T) View {
	t.Helper()
	v, err := w.Status(t.Context(), "prod")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// as gives an error as a type, which it must be.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got %T %v, want a %T", err, err, e)
	}
	return e
}

func isLost(l *Lock) bool {
	select {
	case <-l.Lost():
		return true
	default:
		return false
	}
}

const minute = time.Minute
