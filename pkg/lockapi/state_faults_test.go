package lockapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// written is a state that says which write of which hold it is. Fences order the
// holds, and so the states.
type written struct {
	Version int    `json:"version"`
	Serial  int64  `json:"serial"`
	Lineage string `json:"lineage"`
	Fence   int64  `json:"fence"`
}

func (w written) body() string {
	doc, _ := json.Marshal(w) // numbers and a string: can't fail
	return string(doc)
}

// before reports whether w was written before other.
func (w written) before(other written) bool {
	return w.Fence < other.Fence || w.Fence == other.Fence && w.Serial < other.Serial
}

// badNetwork is a service whose requests, and whose database's, get lost,
// doubled, broken and throttled; those to the database also late.
type badNetwork struct {
	client *http.Client
	quiet  *lockapi.API // for those who only look
	hops   []*faults.Injector
}

func newBadNetwork(t *testing.T, seed uint64) *badNetwork {
	t.Helper()
	var hop *faults.Injector
	db := testdb.Open(t)
	client := db.Through(t, func(next http.RoundTripper) http.RoundTripper {
		hop = faults.New(next, faults.Options{Seed: seed, Hop: "to the database", Rates: faults.Even(0.15), Replies: faults.DynamoDB})
		return hop
	})
	// No two requests are made at the same time, so that time tells them apart.
	var clock atomic.Int64
	clock.Store(1_800_000_000_000)
	options := ddbstore.Options{Table: db.Table, Now: func() time.Time { return time.UnixMilli(clock.Add(1)) }}
	silent := lockapi.Options{Log: slog.New(slog.DiscardHandler)}
	api := lockapi.New(ddbstore.New(client, options), silent)
	// What is late before it reaches the service is a new request to it.
	outer := faults.New(handler(api).Transport, faults.Options{
		Seed: seed, Hop: "to the service", Replies: faults.Gateway,
		Rates: faults.Rates{}.With(0.15, faults.LoseRequest, faults.LoseReply, faults.Duplicate, faults.Reset, faults.ServerError, faults.Throttle),
	})
	return &badNetwork{&http.Client{Transport: outer}, lockapi.New(ddbstore.New(db.Client, options), silent), []*faults.Injector{hop, outer}}
}

// send tries a request until it is answered by the service, as Terraform does.
func (n *badNetwork) send(ctx context.Context, method, target, body string) (int, []byte, error) {
	for {
		r, err := http.NewRequestWithContext(ctx, method, "http://statelock.invalid"+target, strings.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		resp, err := n.client.Do(r)
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode < 500 {
			return resp.StatusCode, answer, nil
		}
	}
}

// hold locks, writes some states, and unlocks. It gives the last state that it
// was told to be written.
func (n *badNetwork) hold(ctx context.Context, who string) (last written, err error) {
	const path = "/v1/tf/prod"
	info := lockInfo(uuid.NewString(), who)
	var lock struct{ Fence int64 }
	for {
		status, answer, err := n.send(ctx, "LOCK", path, info)
		if err != nil {
			return last, err
		}
		if status == http.StatusOK {
			if err := json.Unmarshal(answer, &lock); err != nil {
				return last, err
			}
			break
		}
		if status != http.StatusLocked {
			return last, fmt.Errorf("LOCK: %d %s", status, answer)
		}
	}
	var id struct{ ID string }
	if err := json.Unmarshal([]byte(info), &id); err != nil {
		return last, err
	}
	for serial := range int64(3) {
		w := written{4, serial, "l", lock.Fence}
		if status, answer, err := n.send(ctx, "POST", path+"?ID="+id.ID, w.body()); err != nil || status != http.StatusOK {
			return last, fmt.Errorf("POST under fence %d: %d %s %w", lock.Fence, status, answer, err)
		}
		last = w
	}
	// 409 says that it is unlocked already and others came and went since.
	if status, answer, err := n.send(ctx, "UNLOCK", path, info); err != nil || status != http.StatusOK && status != http.StatusConflict {
		return last, fmt.Errorf("UNLOCK: %d %s %w", status, answer, err)
	}
	return last, nil
}

// Through a bad network, every holder's writes are done, what anybody reads is a
// state that was written, whole, never followed by an earlier one, and in the
// end it is the last holder's last.
func TestStatesThroughABadNetwork(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			n := newBadNetwork(t, seed)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var mu sync.Mutex
			var latest written
			var clients, reader sync.WaitGroup
			for c := range 4 {
				clients.Go(func() {
					for range 4 {
						last, err := n.hold(ctx, fmt.Sprint("client-", c))
						if err != nil {
							t.Error(err)
							cancel()
							return
						}
						mu.Lock()
						if latest.before(last) {
							latest = last
						}
						mu.Unlock()
					}
				})
			}
			reads := make(chan struct{})
			reader.Go(func() {
				var seen written
				for {
					select {
					case <-reads:
						return
					default:
					}
					now, ok := readWritten(t, n.quiet)
					if ok && now.before(seen) {
						t.Errorf("read %+v after %+v", now, seen)
					}
					seen = now
				}
			})
			clients.Wait()
			for _, hop := range n.hops {
				hop.Settle() // and whatever is late arrives
			}
			close(reads)
			reader.Wait()
			if end, _ := readWritten(t, n.quiet); end != latest {
				t.Errorf("in the end the state is %+v, want %+v", end, latest)
			}
			for _, hop := range n.hops {
				if counts := hop.Counts(); counts[faults.LoseReply] == 0 || counts[faults.Duplicate] == 0 {
					t.Errorf("the network was not bad: %v", counts)
				}
			}
		})
	}
}

func readWritten(t *testing.T, api http.Handler) (w written, ok bool) {
	t.Helper()
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), "GET", "/v1/tf/prod", nil))
	if answer.Code == http.StatusNotFound {
		return w, false
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &w); err != nil || answer.Code != http.StatusOK || w.Version != 4 {
		t.Errorf("read %d %q (%v)", answer.Code, answer.Body, err)
	}
	return w, true
}

// settled is a store that writes at once, and shows until when it may settle.
type settled struct {
	*ddbstore.Store // for what is not asked of it
	until           *time.Time
}

func (s settled) WriteState(_ context.Context, r lockmodel.Request, _ []byte) (lockmodel.Outcome, error) {
	return lockmodel.Step(lockmodel.NewLock(r.Workspace), r), nil
}

func (s settled) Settle(ctx context.Context, _ lockmodel.Outcome) error {
	*s.until, _ = ctx.Deadline()
	return ctx.Err()
}

// What comes after a state write takes none of the time in which the answer must
// be out; nor does it end with the client.
func TestSettleLeavesTimeToAnswer(t *testing.T) {
	t.Parallel()
	var until time.Time
	api := lockapi.New(settled{until: &until}, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	for _, left := range []time.Duration{time.Second, time.Hour} {
		ctx, cancel := context.WithTimeout(t.Context(), left)
		defer cancel()
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/v1/tf/prod", strings.NewReader("state")))
		if end, _ := ctx.Deadline(); w.Code != http.StatusOK || until.IsZero() || until.After(end) || left == time.Hour && !until.Before(end) {
			t.Errorf("with %s left: %d, settled until %s of %s", left, w.Code, until, end)
		}
	}
}
