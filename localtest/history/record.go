package history

import (
	"sync"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Recorder records the calls of any number of clients.
type Recorder struct {
	clock func() time.Time

	mu    sync.Mutex
	calls []*Call
}

// NewRecorder returns a recorder that reads the given clock, which must not
// step back. It must be the service's own, or agree with it within the
// milliseconds that the service keeps.
func NewRecorder(clock func() time.Time) *Recorder { return &Recorder{clock: clock} }

// Pending is a call that may still take effect.
type Pending struct {
	recorder *Recorder
	call     *Call
}

// Begin records that a call is about to be made: its client, kind, request and
// whether it is a copy.
func (r *Recorder) Begin(c Call) Pending {
	c.End = Never
	r.mu.Lock()
	defer r.mu.Unlock()
	c.Start = r.clock().UnixNano()
	r.calls = append(r.calls, &c)
	return Pending{r, &c}
}

// Answered records what the caller was told, and how often the database had got
// requests of the call by then.
func (p Pending) Answered(a lockmodel.Answer, deliveries int) {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	p.call.Told, p.call.Answer, p.call.Deliveries = true, a, deliveries
	p.call.End = p.recorder.clock().UnixNano()
}

// Settled records that nothing of the call is under way any more, and how often
// the database got requests of it in all.
func (p Pending) Settled(deliveries int) {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	p.call.Settled = p.recorder.clock().UnixNano()
	if !p.call.Told {
		p.call.End = p.call.Settled
	}
	p.call.Deliveries = deliveries
}

// SettleAll records that nothing is under way any more of the calls that were
// made by now.
func (r *Recorder) SettleAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock().UnixNano()
	for _, c := range r.calls {
		if !c.Told && c.Settled == 0 {
			c.Settled, c.End = now, now
		}
	}
}

// Calls gives the calls so far, in the order of their starts.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := make([]Call, len(r.calls))
	for i, c := range r.calls {
		calls[i] = *c
	}
	return calls
}
