package history

import (
	"sync"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// machine asks Step and remembers what it said: searches ask the same again and
// again, of the few locks that a history knows and the landings that are open.
type machine struct {
	mu    sync.Mutex // porcupine's search may outlive its patience by a step
	known map[question]lockmodel.Outcome
}

// question is a call's request, at a moment, of a lock.
type question struct {
	lock   lockmodel.Lock
	call   int
	moment moment
}

// mostKnown bounds what a machine remembers.
const mostKnown = 1 << 14

func (k *machine) step(q question, r lockmodel.Request) lockmodel.Outcome {
	k.mu.Lock()
	defer k.mu.Unlock()
	out, known := k.known[q]
	if known {
		return out
	}
	if len(k.known) == mostKnown {
		clear(k.known)
	}
	if k.known == nil {
		k.known = map[question]lockmodel.Outcome{}
	}
	before := q.lock
	if before.Exists {
		before.ChangedAt = q.moment.changed
	}
	before.LeaseUntil = q.moment.lease
	r.Now = present
	if r.Lease > 0 {
		r.Lease = askedLease
	}
	out = lockmodel.Step(before, r)
	k.known[q] = out
	return out
}
