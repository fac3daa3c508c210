package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// around draws a time of half to one and a half times d, so that many clients
// that failed or began together do not come back together.
func around(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// near draws a time within a tenth of d.
func near(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5) }

// pause returns after d, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
