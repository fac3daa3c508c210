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
	shown   shown
	skew    int64
	horizon *horizon
	end     bool // not a call, but the end of the history
}

// moreLandings bounds how often a call that reached the database several times
// may have landed with other deliveries than that which its answer comes from.
// Once is all that the table allows, save where others acquired and released in
// between.
const moreLandings = 2

// operations gives the calls of one workspace as porcupine takes them, and an
// end after those that were answered. Reads without an answer say nothing and
// are left out.
//
// A call of unknown outcome is an operation that never returns, and that has a
// place in an order only where it changes the lock, or after the end, where
// nothing matters any more: if it was lost or refused it is there. That is
// far less to search than to try each of them, lost, at each place.
func operations(calls []Call, skew int64) ([]porcupine.Operation, error) {
	var ops []porcupine.Operation
	clients := map[string]int{}
	view := newHorizon(calls)
	last := int64(0)
	for i, c := range calls {
		last = max(last, c.Start)
		if c.Kind == Read && !c.Told {
			continue
		}
		times, err := timesOf(c.Answer.Lock)
		if err != nil {
			return nil, fmt.Errorf("%s was told %w", c.Client, err)
		}
		if _, known := clients[c.Client]; !known {
			clients[c.Client] = len(clients)
		}
		add := func(c *call, end int64) {
			ops = append(ops, porcupine.Operation{ClientId: clients[c.Client], Input: c, Call: c.Start, Return: end})
		}
		one := call{Call: c, index: i, during: during(&c), shown: times, skew: skew, horizon: view}
		unseen := one
		unseen.Told, unseen.End = false, c.over()
		if c.Told {
			last = max(last, c.End)
			add(&one, c.End)
		} else {
			add(&unseen, Never)
		}
		for range min(c.Deliveries-1, moreLandings) {
			add(&unseen, Never)
		}
	}
	return append(ops, porcupine.Operation{Input: &call{end: true}, Call: last + 1, Return: last + 2}), nil
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
