package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// weather is a network that delays requests and replies, loses either, and is
// gone for a while now and then.
type weather struct {
	next http.RoundTripper

	mu     sync.Mutex
	random *rand.Rand
	out    time.Time // until when it is gone
}

// trip is what the weather has in store for a request.
type trip struct {
	there, back       time.Duration
	lost, mute, stuck bool
}

func (w *weather) draw() trip {
	w.mu.Lock()
	defer w.mu.Unlock()
	delay := func() time.Duration {
		if w.random.IntN(10) == 0 {
			return draw(w.random, 20*time.Second)
		}
		return draw(w.random, 100*time.Millisecond)
	}
	if w.random.IntN(20) == 0 {
		w.out = time.Now().Add(draw(w.random, 90*time.Second))
	}
	return trip{
		there: delay(), back: delay(),
		lost:  time.Now().Before(w.out) || w.random.IntN(10) == 0,
		mute:  w.random.IntN(10) == 0,
		stuck: w.random.IntN(2) == 0,
	}
}

func (w *weather) RoundTrip(r *http.Request) (*http.Response, error) {
	t := w.draw()
	broken := func() (*http.Response, error) {
		if t.stuck {
			<-r.Context().Done()
		}
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	if t.lost {
		return broken()
	}
	// Whoever gives up is not waited for, and what is on its way arrives.
	type result struct {
		resp *http.Response
		err  error
	}
	got := make(chan result, 1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	go func() {
		time.Sleep(t.there)
		late := r.Clone(context.WithoutCancel(r.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		resp, err := w.next.RoundTrip(late)
		time.Sleep(t.back)
		got <- result{resp, err}
	}()
	if t.mute {
		return broken()
	}
	select {
	case g := <-got:
		return g.resp, g.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// In whatever weather, no two clients believe in the lock at the same moment,
// though waiters take the lock as soon as they may and no clock skew protects
// the holder.
func TestBeliefIsNeverShared(t *testing.T) {
	t.Parallel()
	var total struct{ acquired, lost, fence int64 }
	// Weather is chance, and so is how often a lock is lost in it: on until it
	// has been, often enough.
	for seed := uint64(0); seed < 4 || seed < 40 && total.lost < 5; seed++ {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
			var mu sync.Mutex
			believers := map[*Lock]bool{}
			believes := func(l *Lock) bool { return !isLost(l) && l.Err() == nil }
			ctx, end := context.WithTimeout(t.Context(), time.Hour)
			defer end()
			var all sync.WaitGroup
			for n := range uint64(4) {
				c, err := New("http://localhost", Options{Poll: 8 * time.Second, Transport: &weather{next: inProcess{w.api}, random: rand.New(rand.NewPCG(seed, n))}})
				if err != nil {
					t.Fatal(err)
				}
				random := rand.New(rand.NewPCG(seed, n+100))
				all.Go(func() {
					for ctx.Err() == nil {
						l, err := c.Acquire(ctx, Request{Workspace: "prod", Runner: "ci-7", Lease: minute, Wait: 10 * minute, TakeLapsed: true})
						if err != nil {
							if _, lost := errors.AsType[*LostError](err); lost {
								t.Error(err)
							}
							continue
						}
						mu.Lock()
						for other := range believers {
							if believes(other) && believes(l) {
								t.Errorf("seed %d: fences %d and %d are believed in at once", seed, other.Fence(), l.Fence())
							}
						}
						believers[l] = true
						total.acquired++
						total.fence = max(total.fence, l.Fence())
						mu.Unlock()
						work := time.NewTimer(draw(random, 2*minute))
						select {
						case <-work.C:
						case <-l.Lost():
						}
						mu.Lock()
						if !believes(l) {
							total.lost++
						}
						delete(believers, l)
						mu.Unlock()
						// It is as often forgotten as it is released.
						if random.IntN(2) == 0 {
							l.Abandon()
							continue
						}
						l.Release(ctx) //nolint:errcheck // the next one waits for the lease
					}
				})
			}
			all.Wait()
			time.Sleep(minute) // for what is still on its way
		})
	}
	t.Logf("%d acquisitions, %d of them lost", total.acquired, total.lost)
	if total.acquired < 50 || total.lost < 5 {
		t.Error("too little happened to prove anything")
	}
}

// draw draws a time below d.
func draw(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}
