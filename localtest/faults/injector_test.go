package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// receiver answers requests with what they carry, and keeps that.
type receiver struct {
	mu   sync.Mutex
	seen []string
}

func (rec *receiver) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.seen = append(rec.seen, string(body))
	return Reply{200, "text/plain", string(body)}.to(r), nil
}

func (rec *receiver) times(body string) int {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	n := 0
	for _, s := range rec.seen {
		if s == body {
			n++
		}
	}
	return n
}

// send sends a request that carries its trip's name.
func send(t *testing.T, in *Injector, trip *Trip, body string) (status int, err error) {
	t.Helper()
	ctx := t.Context()
	if trip != nil {
		ctx = WithTrip(ctx, trip)
	}
	r, err := http.NewRequestWithContext(ctx, "POST", "http://service.invalid/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := in.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == 200 && string(got) != body {
		t.Errorf("sent %q, the reply is %q", body, got)
	}
	return resp.StatusCode, nil
}

func TestEachKind(t *testing.T) {
	t.Parallel()
	timeout := func(_ int, err error) bool {
		e, ok := errors.AsType[net.Error](err)
		return ok && e.Timeout()
	}
	answered := func(status int, err error) bool { return err == nil && status == 200 }
	for kind, want := range map[Kind]struct {
		caller         func(int, error) bool
		now, afterward []int // how often it may have been delivered
	}{
		None:         {answered, []int{1}, []int{1}},
		LoseRequest:  {timeout, []int{0}, []int{0}},
		LoseReply:    {timeout, []int{1}, []int{1}},
		Duplicate:    {answered, []int{1, 2}, []int{2}},
		LateCopy:     {answered, []int{1}, []int{2}},
		LateDelivery: {timeout, []int{0}, []int{1}},
		Reset:        {func(_ int, err error) bool { return errors.Is(err, syscall.ECONNRESET) }, []int{0, 1}, []int{0, 1}},
		ServerError:  {func(s int, _ error) bool { return s == 500 }, []int{0, 1}, []int{0, 1}},
		Throttle:     {func(s int, _ error) bool { return s == 400 }, []int{0}, []int{0}},
		Slow:         {answered, []int{1}, []int{1}},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			var rec receiver
			in := New(&rec, Options{Seed: 1, Rates: Rates{kind: 1}, Replies: DynamoDB})
			over := make(chan struct{})
			trip := NewTrip("a", func() { close(over) })
			status, err := send(t, in, trip, "hello")
			if !want.caller(status, err) {
				t.Errorf("the caller sees status %d, error %v", status, err)
			}
			if n := rec.times("hello"); !slices.Contains(want.now, n) {
				t.Errorf("delivered %d times when the caller goes on", n)
			}
			trip.End()
			in.Settle()
			<-over
			if n := rec.times("hello"); !slices.Contains(want.afterward, n) || n != trip.Delivered(in) {
				t.Errorf("delivered %d times in the end, the trip counts %d", n, trip.Delivered(in))
			}
			if got := in.Counts()[kind]; got != 1 {
				t.Errorf("counted %d times", got)
			}
		})
	}
}

// What is late arrives when enough others have passed, not before any, and
// without being waited for.
func TestLateness(t *testing.T) {
	t.Parallel()
	var rec receiver
	arrived := make(chan struct{})
	in := New(roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := rec.RoundTrip(r)
		if rec.times("late") == 1 {
			close(arrived)
		}
		return resp, err
	}), Options{Rates: Rates{LateDelivery: 1}})
	if _, err := send(t, in, NewTrip("late", nil), "late"); err == nil {
		t.Fatal("answered")
	}
	in.Rates = nil
	if rec.times("late") != 0 {
		t.Error("arrived before any other")
	}
	for range 40 {
		in.others.passed()
	}
	<-arrived
	in.Settle()
	if n := rec.times("late"); n != 1 {
		t.Errorf("arrived %d times", n)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A copy is told of when it is delivered, and its trip is the one it is given.
func TestCopied(t *testing.T) {
	t.Parallel()
	var rec receiver
	var copies, over int
	trips := map[string]*Trip{}
	in := New(&rec, Options{Rates: Rates{LateCopy: 1}, Copied: func(ctx context.Context) (context.Context, func()) {
		copies++
		trips["copy"] = NewTrip("copy", func() { over++ })
		return WithTrip(ctx, trips["copy"]), trips["copy"].End
	}})
	trips["own"] = NewTrip("own", nil)
	if _, err := send(t, in, trips["own"], "hello"); err != nil || copies != 0 {
		t.Fatalf("%v, %d copies", err, copies)
	}
	in.Settle()
	if copies != 1 || over != 1 || trips["own"].Delivered(in) != 1 || trips["copy"].Delivered(in) != 1 {
		t.Errorf("%d copies, %d of them over; the trips were delivered %d and %d times", copies, over,
			trips["own"].Delivered(in), trips["copy"].Delivered(in))
	}
}

// One seed treats the same requests in the same way, in whatever order they
// come; another seed treats them differently.
func TestSeed(t *testing.T) {
	t.Parallel()
	const requests, tries = 50, 3
	treat := func(seed uint64, order []int) map[string]string {
		var rec receiver
		in := New(&rec, Options{Seed: seed, Hop: "test", Rates: Even(0.9), Replies: Gateway})
		seen := map[string]string{}
		for _, n := range order {
			trip := NewTrip(fmt.Sprint("request ", n), nil)
			for try := range tries {
				name := fmt.Sprint(n, "/", try)
				status, err := send(t, in, trip, name)
				in.Settle()
				seen[name] = fmt.Sprint(status, err, rec.times(name))
			}
		}
		return seen
	}
	var order []int
	for n := range requests {
		order = append(order, n)
	}
	first := treat(1, order)
	slices.Reverse(order)
	if diff := cmp.Diff(first, treat(1, order)); diff != "" {
		t.Errorf("the same seed in another order:\n%s", diff)
	}
	if maps.Equal(first, treat(2, order)) {
		t.Error("another seed does the same")
	}
}

// Under load from many, every kind happens, and nothing is left under way.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	var rec receiver
	in := New(&rec, Options{Seed: 7, Rates: Even(0.5), Replies: Gateway})
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			for n := range 100 {
				trip := NewTrip(fmt.Sprint(c, "/", n), nil)
				_, _ = send(t, in, trip, fmt.Sprint(c, "/", n)) // whatever is drawn
				trip.End()
			}
		})
	}
	callers.Wait()
	in.Settle()
	for kind, n := range in.Counts() {
		if n == 0 {
			t.Errorf("%s did not happen", kind)
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.seen) < 400 {
		t.Errorf("only %d deliveries", len(rec.seen))
	}
}
