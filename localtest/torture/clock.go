package torture

import (
	"sync/atomic"
	"time"
)

// clock is a clock that never shows a time twice, so that what came later shows
// a later time, however fast things go. It goes forward by a millisecond with
// every look, and when it is told to.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(1_800_000_000_000)
	return c
}

// Now is the clock's time.
func (c *clock) Now() time.Time { return time.UnixMilli(c.ms.Add(1)) }

// pass lets time pass.
func (c *clock) pass(d time.Duration) { c.ms.Add(d.Milliseconds()) }
