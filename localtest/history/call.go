package history

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Kind is what a call does.
type Kind uint8

const (
	// Transition asks for the transition that the request says.
	Transition Kind = iota
	// Read asks for the lock of the request's workspace.
	Read
	// Tamper writes the state, past the service, over that of the stored lock.
	Tamper
)

// Never is the end of a call that may still take effect at any later time.
const Never = math.MaxInt64

// Call is one call of the service.
type Call struct {
	// Client is who called, or whose request the network copied.
	Client string
	// Copy tells that the network made this call: nobody sees its answer.
	Copy bool
	// Kind is what is done.
	Kind Kind
	// Request is the transition that is asked for, without what the service
	// adds: Now and Terms. Of other kinds, it is the workspace alone.
	Request lockmodel.Request
	// State is what Tamper writes.
	State lockmodel.State

	// Start and End are when the call was made and when it was answered, or
	// else could no longer take effect; in nanoseconds since the Unix epoch, by
	// the recorder's clock.
	Start, End int64
	// Settled is when nothing of the call was under way any more, not even late
	// copies of its writes; 0 where nobody saw it, and for a call that was
	// answered is taken to be End.
	Settled int64
	// Deliveries is how often the database got a request of this call, in all;
	// 0 where that is not known and taken to be once.
	Deliveries int
	// Told tells that the caller was answered.
	Told bool
	// Answer is what it was told; for Read, the Lock alone.
	Answer lockmodel.Answer
}

// done reports whether the caller was told that what it asked for is done.
func (c *Call) done() bool { return c.Told && c.Answer.OK }

// refused reports whether the caller was told that it is not.
func (c *Call) refused() bool { return c.Told && !c.Answer.OK }

// isA reports whether the call asks for the transition o.
func (c *Call) isA(o lockmodel.Op) bool { return c.Kind == Transition && c.Request.Op == o }

// over is when the call can no longer have taken effect.
func (c *Call) over() int64 { return max(c.End, c.Settled) }

// What says what was asked, without who and when.
func (c *Call) What() string {
	r := c.Request
	switch c.Kind {
	case Read:
		return "lock_state"
	case Tamper:
		return fmt.Sprintf("the stored state is overwritten with %q", c.State)
	}
	var b strings.Builder
	b.WriteString(r.Op.String())
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	field("lock_id", r.LockID)
	field("runner", r.Runner)
	field("request_id", r.ID)
	if r.Lease > 0 {
		field("lease", (time.Duration(r.Lease) * time.Millisecond).String())
	}
	return b.String()
}

// Outcome says what the caller was told.
func (c *Call) Outcome() string {
	a := c.Answer
	switch {
	case c.Kind == Tamper:
		return "written"
	case !c.Told && c.End == Never:
		return "outcome unknown"
	case !c.Told:
		return "outcome unknown, settled"
	case c.Kind == Read:
		return describe(a.Lock)
	case !a.OK:
		return fmt.Sprintf("refused, %s: %s", a.Code, describe(a.Lock))
	case a.Repeat:
		return "done before: " + describe(a.Lock)
	}
	return "done: " + describe(a.Lock)
}

// describe spells a lock as it was shown.
func describe(v lockmodel.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, fence %d", cmp.Or(v.State, "no readable state"), v.Fence)
	for _, f := range []struct{ name, value string }{
		{"owner", v.Owner}, {"lock_id", v.LockID}, {"lease until", v.LeaseUntil},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, ", %s %s", f.name, f.value)
		}
	}
	if v.Torn {
		b.WriteString(", torn")
	}
	return b.String()
}

// line gives the call as a line, with times in milliseconds after epoch.
func (c *Call) line(epoch int64) string {
	since := func(t int64) string {
		if t == Never {
			return "…"
		}
		return fmt.Sprintf("%.1f", float64(t-epoch)/1e6)
	}
	who := c.Client
	if c.Copy {
		who = "copy of " + who
	}
	return fmt.Sprintf("%9s – %-9s %-11s %s → %s", since(c.Start), since(c.End), who, c.What(), c.Outcome())
}
