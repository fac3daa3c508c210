package history

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// call is a Call as the model takes it.
type call struct {
	Call
	index   int // among the workspace's calls
	during  span
	times   shown
	skew    int64
	horizon *horizon
	end     bool // not a call, but the end of the history
}

// operations gives the calls of one workspace as porcupine takes them, and an
// end after those that were answered. Each landing may happen the given number
// of times.
//
// A landing is an operation that never returns, and that has a place in an order
// only where it changes the lock, or after the end, where nothing matters any
// more: what was lost or refused is there. That is far less to search than to
// try each, lost, at each place.
func operations(all []Call, skew int64, times int) ([]porcupine.Operation, error) {
	calls, err := prepare(all, skew)
	if err != nil {
		return nil, err
	}
	var ops []porcupine.Operation
	clients := map[string]int{}
	add := func(c call, end int64) {
		if _, known := clients[c.Client]; !known {
			clients[c.Client] = len(clients)
		}
		ops = append(ops, porcupine.Operation{ClientId: clients[c.Client], Input: &c, Call: c.Start, Return: end})
	}
	last := int64(0)
	for _, c := range calls {
		last = max(last, c.Start)
		if c.Told {
			last = max(last, c.End)
			add(c, c.End)
		}
	}
	for _, c := range landings(calls) {
		for range times {
			add(c, Never)
		}
	}
	add(call{Call: Call{Start: last + 1}, end: true}, last+2)
	return ops, nil
}

// prepare gives the calls with what the model needs to know about each.
func prepare(all []Call, skew int64) ([]call, error) {
	view := newHorizon(all)
	calls := make([]call, len(all))
	for i, c := range all {
		times, err := timesOf(c.Answer.Lock)
		if err != nil {
			return nil, fmt.Errorf("%s was told %w", c.Client, err)
		}
		calls[i] = call{Call: c, index: i, during: during(&c), times: times, skew: skew, horizon: view}
	}
	return calls, nil
}

// hashSeed is for the hashes of states within this process.
var hashSeed = maphash.MakeSeed()

// model is the lock of the workspace ws as a nondeterministic machine.
func model(ws string) porcupine.Model {
	nondeterministic := porcupine.NondeterministicModel{
		Init: func() []any { return []any{state{lock: lockmodel.NewLock(ws)}} },
		Step: func(s, in, _ any) []any {
			before := s.(state)
			var after []any
			for _, next := range before.after(in.(*call)) {
				after = append(after, next)
			}
			return after
		},
		Hash: func(s any) uint64 { return maphash.Comparable(hashSeed, s.(state)) },
	}
	return nondeterministic.ToModel()
}

// after gives every state in which the call can have left the lock; none, if it
// has no place here.
func (s state) after(c *call) []state {
	switch {
	case c.end:
		return []state{{ended: true}}
	case s.ended:
		return []state{s}
	case !c.Told && s.floor > c.End:
		return nil // it is over
	case c.shown() && !s.near(&c.Answer):
		return nil
	}
	s.floor = max(s.floor, c.Start)
	switch c.Kind {
	case Read:
		if next, ok := s.shows(c); ok {
			return []state{next}
		}
		return nil
	case Tamper:
		s.lock.State = c.State
		return []state{s}
	}
	var after []state
	for _, m := range s.moments(c) {
		next, out := s.step(c, m)
		fits := c.Told || out.Wrote()
		if out.Wrote() {
			fits = fits && c.horizon.allows(&next)
		}
		if fits && c.Told {
			next, fits = next.gave(out, c)
		}
		if fits && !slices.Contains(after, next) {
			after = append(after, next)
		}
	}
	return after
}

// near rules out, at little cost, most answers that s is not the lock for:
// what changes a lock counts its fence up by one at most, and what changes
// nothing shows it as it was.
func (s *state) near(a *lockmodel.Answer) bool {
	if !a.OK || a.Repeat {
		return a.Lock.Fence == max(s.lock.Fence, 0) && a.Lock.LockID == s.lock.LockID
	}
	return a.Lock.Fence-1 <= max(s.lock.Fence, 0) && max(s.lock.Fence, 0) <= a.Lock.Fence
}
