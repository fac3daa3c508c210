package faults

import (
	"context"
	"sync"
	"time"
)

// patience is how long a request waits for others that do not come: all who
// could send some may be waiting, too.
const patience = 2 * time.Millisecond

// others counts the requests that pass, and lets things wait for some to pass.
type others struct {
	mu      sync.Mutex
	count   int
	waiting []waiting
}

type waiting struct {
	until int // the count at which to go on
	goOn  func()
}

// passed notes that a request passes.
func (o *others) passed() {
	o.mu.Lock()
	o.count++
	var due []func()
	rest := o.waiting[:0]
	for _, w := range o.waiting {
		if w.until <= o.count {
			due = append(due, w.goOn)
		} else {
			rest = append(rest, w)
		}
	}
	o.waiting = rest
	o.mu.Unlock()
	for _, goOn := range due {
		goOn()
	}
}

// after has goOn called, once, when n more requests have passed. It must not
// block.
func (o *others) after(n int, goOn func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, waiting{o.count + n, goOn})
}

// all calls whatever waits.
func (o *others) all() {
	o.mu.Lock()
	due := o.waiting
	o.waiting = nil
	o.mu.Unlock()
	for _, w := range due {
		w.goOn()
	}
}

// wait returns when n more requests have passed, or when ctx or patience ends.
func (o *others) wait(ctx context.Context, n int) {
	passed := make(chan struct{})
	o.after(n, func() { close(passed) })
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case <-passed:
	case <-ctx.Done():
	case <-enough.C:
	}
}
