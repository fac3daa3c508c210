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
	machine *machine
	end     bool // not a call, but the end of the history
}

// prepare gives the calls with what the model needs to know about each.
func prepare(all []Call, skew int64) ([]call, error) {
	view, ask := newHorizon(all), &machine{}
	calls := make([]call, len(all))
	for i, c := range all {
		times, err := timesOf(c.Answer.Lock)
		if err != nil {
			return nil, fmt.Errorf("%s was told %w", c.Client, err)
		}
		calls[i] = call{Call: c, index: i, during: during(&c), times: times, skew: skew, horizon: view, machine: ask}
	}
	return calls, nil
}

// withLandings gives the calls that were answered, and landings, each so many
// times.
func withLandings(calls []call, times int) []*call {
	var all []*call
	for i := range calls {
		if calls[i].Told {
			all = append(all, &calls[i])
		}
	}
	for _, l := range landings(calls) {
		for range times {
			one := l
			all = append(all, &one)
		}
	}
	return all
}

// operations gives calls and landings as porcupine takes them, and an end after
// those that were answered.
//
// A landing is an operation that never returns, and that has a place in an order
// only where it changes the lock, or after the end, where nothing matters any
// more: what was lost or refused is there. That is far less to search than to
// try each, lost, at each place.
func operations(all []*call) []porcupine.Operation {
	var ops []porcupine.Operation
	last := int64(0)
	for _, c := range all {
		end := int64(Never)
		if c.Told {
			end = c.End
			last = max(last, c.End)
		}
		last = max(last, c.Start)
		ops = append(ops, porcupine.Operation{Input: c, Call: c.Start, Return: end})
	}
	return append(ops, porcupine.Operation{Input: &call{end: true}, Call: last + 1, Return: last + 2})
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
