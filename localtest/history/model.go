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
	index  int // among the workspace's calls
	during span
	shown  shown
	skew   int64
}

// moreLandings bounds how often a call that reached the database several times
// may have landed before the delivery that its answer comes from. Once is all
// that the table allows, save where others acquired and released in between.
const moreLandings = 2

// operations gives the calls of one workspace as porcupine takes them. Reads
// without an answer say nothing and are left out.
func operations(calls []Call, skew int64) ([]porcupine.Operation, error) {
	var ops []porcupine.Operation
	clients := map[string]int{}
	for i, c := range calls {
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
		add := func(c *call) {
			ops = append(ops, porcupine.Operation{ClientId: clients[c.Client], Input: c, Call: c.Start, Return: c.End})
		}
		full := &call{Call: c, index: i, during: during(&c), shown: times, skew: skew}
		add(full)
		for range min(c.Deliveries-1, moreLandings) {
			unseen := *full
			unseen.Told = false
			add(&unseen)
		}
	}
	return ops, nil
}

// seed is for the hashes of states within this process.
var seed = maphash.MakeSeed()

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
		Hash: func(s any) uint64 { return maphash.Comparable(seed, s.(state)) },
	}
	return nondeterministic.ToModel()
}

// after gives every state in which the call can have left the lock, none if it
// can't have been answered as it was.
func (s state) after(c *call) []state {
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
	if !c.Told {
		after = append(after, s) // it was lost, or refused
	}
	for _, m := range s.moments(c) {
		next, out := s.step(c, m)
		fits := out.Wrote()
		if c.Told {
			next, fits = next.gave(out, c)
		}
		if fits && !slices.Contains(after, next) {
			after = append(after, next)
		}
	}
	return after
}
