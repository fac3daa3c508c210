package history

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// epoch is when the tests' histories begin, in milliseconds.
const epoch = 1_800_000_000_000

// world makes histories with the real machine behind them: calls take effect at
// the times they are given.
type world struct {
	lock  lockmodel.Lock
	skew  int64
	calls []Call
}

func newWorld() *world { return &world{lock: lockmodel.NewLock("ws")} }

// at gives a time of a history as calls have it.
func at(ms int64) int64 { return (epoch + ms) * 1e6 }

// call has a request take effect between start and end, which are in
// milliseconds; the service's clock shows the middle.
func (w *world) call(client string, r lockmodel.Request, start, end int64) *Call {
	r.Workspace, r.Principal = "ws", "p:"+client
	c := Call{Client: client, Request: r, Start: at(start), End: at(end), Told: true, Deliveries: 1}
	r.Now, r.Terms.Skew = epoch+(start+end)/2, w.skew
	out := lockmodel.Step(w.lock, r)
	w.lock = out.Lock
	c.Answer = out.Answer()
	w.calls = append(w.calls, c)
	return &w.calls[len(w.calls)-1]
}

func (w *world) read(client string, start, end int64) *Call {
	w.calls = append(w.calls, Call{
		Client: client, Kind: Read, Request: lockmodel.Request{Workspace: "ws"},
		Start: at(start), End: at(end), Told: true, Answer: lockmodel.Answer{Lock: w.lock.View(lockmodel.Terms{})},
	})
	return &w.calls[len(w.calls)-1]
}

func (w *world) sorted() []Call {
	calls := slices.Clone(w.calls)
	slices.SortStableFunc(calls, func(a, b Call) int { return int(a.Start - b.Start) })
	return calls
}

// untold makes a call one whose outcome nobody learned.
func (c *Call) untold(end int64) {
	c.Told, c.Answer = false, lockmodel.Answer{}
	c.End = Never
	if end > 0 {
		c.End = at(end)
	}
}

func (w *world) check() []Violation {
	return Check(w.sorted(), Options{Skew: time.Duration(w.skew) * time.Millisecond})
}

func acquire(id string) lockmodel.Request {
	return lockmodel.Request{Op: lockmodel.Acquire, ID: "acquire-" + id, LockID: id, Runner: "runner-" + id}
}

func leased(id string, ms int64) lockmodel.Request {
	r := acquire(id)
	r.Lease = ms
	return r
}

func renew(id string, n string, ms int64) lockmodel.Request {
	return lockmodel.Request{Op: lockmodel.Renew, ID: "renew-" + n, LockID: id, Lease: ms}
}

func release(id string) lockmodel.Request {
	return lockmodel.Request{Op: lockmodel.ReleaseLock, ID: "release-" + id, LockID: id}
}

func mark(n string) lockmodel.Request {
	return lockmodel.Request{Op: lockmodel.MarkStale, ID: "mark-" + n}
}

func force(n string) lockmodel.Request {
	return lockmodel.Request{Op: lockmodel.ForceUnlock, ID: "force-" + n}
}

// randomWorld makes a history of overlapping calls of a few clients, with some
// of their outcomes unknown.
func randomWorld(seed uint64, calls int) *world {
	random := rand.New(rand.NewPCG(seed, 1))
	w := newWorld()
	ids := []string{"a", "b", "c", "d"}
	generation := 0
	for n := range calls {
		if random.IntN(6) == 0 {
			generation++
		}
		name := string(rune('0'+generation/10)) + string(rune('0'+generation%10))
		who := ids[random.IntN(len(ids))]
		id, now := who+name, int64(n)*10
		r := []lockmodel.Request{acquire(id), leased(id, 25), release(id), renew(id, id+name, 25), mark(id), force(id), release("")}[random.IntN(7)]
		start, end := now-random.Int64N(40), now+random.Int64N(40)
		if r.Op == lockmodel.ReleaseLock && r.LockID == "" {
			r.ID += id
		}
		// The middle of start and end is the clock that the service reads, and
		// the calls take effect in this order: keep the clock going forward.
		reach := min(now-start, end-now)
		start, end = now-reach, now+reach
		if random.IntN(5) == 0 {
			w.read(who, start, end)
			continue
		}
		c := w.call(who, r, start, end)
		if random.IntN(8) == 0 {
			c.untold(end + random.Int64N(30))
		}
	}
	return w
}
