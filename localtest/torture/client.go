package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// mostTries is how often a client sends a request before it gives up.
const mostTries = 5

// client is a program that uses locks, forgets them, comes back to them, and
// operates on the locks of others. What it does next depends on its generator
// and on what it was told.
type client struct {
	*system
	name       string
	random     *rand.Rand
	workspaces []string
	deriver    *deriver

	requests int
	holds    map[string]hold   // by workspace, those it believes in
	past     []hold            // of which some may not be over
	refused  map[string]string // by workspace, the lock id of an acquire to try again
	seen     map[string]lockmodel.View
	answers  map[string]int
}

// hold is a hold that the client has or had, or may have.
type hold struct {
	ws, lockID string
	leased     bool
}

func newClient(s *system, seed uint64, number int, workspaces []string) *client {
	return &client{
		system: s, name: fmt.Sprintf("c%d", number),
		random:     rand.New(rand.NewPCG(seed, uint64(number))),
		workspaces: workspaces, deriver: newDeriver(),
		holds: map[string]hold{}, refused: map[string]string{}, seen: map[string]lockmodel.View{}, answers: map[string]int{},
	}
}

// run makes n requests.
func (c *client) run(ctx context.Context, n int) error {
	for c.requests < n {
		if err := c.next(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// chance is true with probability p.
func (c *client) chance(p float64) bool { return c.random.Float64() < p }

// next makes one request.
func (c *client) next(ctx context.Context) error {
	ws := c.workspaces[c.random.IntN(len(c.workspaces))]
	held, holding := c.holds[ws]
	if c.pass != nil && c.chance(0.04) {
		c.pass(time.Duration(c.random.IntN(8000)) * time.Millisecond)
	}
	switch {
	case c.chance(0.08):
		return c.look(ctx, ws)
	case c.tamper != nil && (c.seen[ws].Torn && c.chance(0.5) || c.seen[ws].Fence > 0 && c.chance(0.01)):
		return c.writeState(ctx, ws)
	case len(c.past) > 0 && c.chance(0.06):
		return c.haunt(ctx, c.past[c.random.IntN(len(c.past))])
	case holding && c.chance(0.08): // it crashes, and forgets that it holds the lock
		c.past = append(c.past, held)
		delete(c.holds, ws)
		return nil
	case holding && held.leased && c.chance(0.35):
		return c.renew(ctx, held)
	case holding && c.chance(0.7):
		return c.release(ctx, held)
	case holding && c.chance(0.3):
		return c.acquireAgain(ctx, held)
	case c.chance(0.3):
		return c.operate(ctx, ws)
	case holding:
		return c.look(ctx, ws)
	}
	return c.acquire(ctx, ws)
}

// send sends a request until it is answered, or the client gives up. Every try
// carries the same name.
func (c *client) send(ctx context.Context, r request) (a lockmodel.Answer, ok bool, err error) {
	for try := 1; try <= mostTries; try++ {
		a, ok, err = c.call(ctx, c.name, fmt.Sprintf("%s/%d/%d", c.name, c.requests, try), r)
		if err != nil {
			return a, false, err
		}
		if ok {
			c.seen[r.asked.Workspace] = a.Lock
			c.note(r, a)
			return a, true, nil
		}
		if c.chance(0.1) {
			break
		}
	}
	c.answers[r.label()+" unknown"]++
	return a, false, nil
}

// label names what is asked in counts.
func (r request) label() string {
	if r.kind == history.Read {
		return "lock_state"
	}
	return r.asked.Op.String()
}

// note counts an answer.
func (c *client) note(r request, a lockmodel.Answer) {
	what := "done"
	switch {
	case r.kind == history.Read:
		what = a.Lock.State
	case !a.OK:
		what = string(a.Code)
	case a.Repeat:
		what = "repeat"
	}
	c.answers[r.label()+" "+what]++
}

// ask sends a new request for a transition.
func (c *client) ask(ctx context.Context, r lockmodel.Request) (lockmodel.Answer, bool, error) {
	return c.askAs(ctx, c.named(r), false)
}

// named gives a request its name and principal.
func (c *client) named(r lockmodel.Request) lockmodel.Request {
	c.requests++
	r.ID = fmt.Sprintf("%s-%d", c.name, c.requests)
	if c.authenticated {
		r.Principal = "test:" + c.name
	}
	return r
}

func (c *client) askAs(ctx context.Context, r lockmodel.Request, derived bool) (lockmodel.Answer, bool, error) {
	sent, err := transition(r, derived)
	if err != nil {
		return lockmodel.Answer{}, false, err
	}
	return c.send(ctx, sent)
}

func (c *client) look(ctx context.Context, ws string) error {
	c.requests++
	_, _, err := c.send(ctx, read(ws))
	return err
}

// runner is the name under which the client acquires.
func (c *client) runner() string { return "runner-" + c.name }

// acquire tries to get the lock, perhaps for another time with the lock id that
// was refused.
func (c *client) acquire(ctx context.Context, ws string) error {
	r := c.named(lockmodel.Request{Op: lockmodel.Acquire, Workspace: ws, Runner: c.runner()})
	if c.chance(0.35) && (c.pass != nil || c.chance(0.1)) { // they last long where nobody turns the clock
		r.Lease = int64(5+c.random.IntN(10)) * 1000
	}
	derived := false
	switch again := c.refused[ws]; {
	case again != "" && c.chance(0.6):
		r.LockID = again
	case c.chance(0.5):
		derived = true
		var err error
		if r.LockID, err = c.deriver.lockID(r); err != nil {
			return err
		}
	default:
		r.LockID = "id-" + r.ID
	}
	delete(c.refused, ws)
	got := hold{ws, r.LockID, r.Lease > 0}
	a, ok, err := c.askAs(ctx, r, derived)
	switch {
	case err != nil:
		return err
	case !ok: // it gives up, not knowing whether it has the lock
		c.past = append(c.past, got)
	case a.OK:
		c.holds[ws] = got
	case a.Code != lockmodel.CodeSpent && !derived:
		c.refused[ws] = r.LockID
	}
	return nil
}

// acquireAgain acquires with the lock id of the hold that the client has.
func (c *client) acquireAgain(ctx context.Context, h hold) error {
	_, _, err := c.ask(ctx, lockmodel.Request{Op: lockmodel.Acquire, Workspace: h.ws, Runner: c.runner(), LockID: h.lockID})
	return err
}

func (c *client) renew(ctx context.Context, h hold) error {
	a, ok, err := c.ask(ctx, lockmodel.Request{
		Op: lockmodel.Renew, Workspace: h.ws, LockID: h.lockID, Lease: int64(5+c.random.IntN(15)) * 1000,
	})
	if ok && !a.OK { // it learns that it was given up on
		c.past = append(c.past, h)
		delete(c.holds, h.ws)
	}
	return err
}

// release ends the hold, which it names in one of three ways.
func (c *client) release(ctx context.Context, h hold) error {
	r := lockmodel.Request{Op: lockmodel.ReleaseLock, Workspace: h.ws}
	switch c.random.IntN(3) {
	case 0:
		r.LockID = h.lockID
	case 1:
		r.Runner = c.runner()
	}
	_, ok, err := c.ask(ctx, r)
	delete(c.holds, h.ws)
	if !ok {
		c.past = append(c.past, h)
	}
	return err
}

// haunt acts on a hold that the client believes, or should believe, to be over.
func (c *client) haunt(ctx context.Context, h hold) error {
	r := lockmodel.Request{Workspace: h.ws, LockID: h.lockID}
	switch c.random.IntN(3) {
	case 0:
		r.Op = lockmodel.ReleaseLock
	case 1:
		r.Op, r.Lease = lockmodel.Renew, 5000
	default:
		r.Op, r.Runner = lockmodel.Acquire, c.runner()
	}
	a, _, err := c.ask(ctx, r)
	if r.Op == lockmodel.Acquire && a.OK {
		c.holds[h.ws] = h
	}
	return err
}

// operate marks a lock stale or frees a stale one, as an operator would: the
// hold that it saw, or whichever there is.
func (c *client) operate(ctx context.Context, ws string) error {
	r := lockmodel.Request{Op: lockmodel.MarkStale, Workspace: ws}
	if stale := c.seen[ws].State == lockmodel.Stale; c.chance(0.1) != stale {
		r.Op = lockmodel.ForceUnlock
	}
	if c.chance(0.5) {
		r.LockID = c.seen[ws].LockID
	}
	if c.chance(0.5) {
		r.Reason = c.name + " thinks that it is dead"
	}
	_, _, err := c.ask(ctx, r)
	return err
}

// writeState tampers with a lock's state, or mends what was tampered with.
func (c *client) writeState(ctx context.Context, ws string) error {
	seen := c.seen[ws]
	state := lockmodel.Unlocked
	if seen.Torn == (seen.LockID != "") {
		state = lockmodel.Held
	}
	made := c.recorder.Begin(history.Call{Client: c.name, Kind: history.Tamper, Request: lockmodel.Request{Workspace: ws}, State: state})
	if err := c.tamper(ctx, ws, state); err != nil {
		return err
	}
	made.Answered(lockmodel.Answer{}, 1)
	delete(c.seen, ws) // to be looked at before it is touched again
	c.answers["tampered"]++
	return c.look(ctx, ws)
}
