package torture

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// Campaign makes runs from one seed after another, some at the same time, until
// one of its bounds is reached or a run finds a violation.
type Campaign struct {
	Config Config
	// First is the first seed.
	First uint64
	// Seeds, Requests and Duration bound the campaign, each where it is not 0.
	// Runs that have begun are finished.
	Seeds    int
	Requests int
	Duration time.Duration
	// Progress, if not nil, is told of every run that has ended.
	Progress func(sum Report)
}

// Run makes the campaign and returns the sum of its runs' reports. Violations
// are no error.
func (c Campaign) Run(ctx context.Context) (Report, error) {
	if c.Seeds == 0 && c.Requests == 0 && c.Duration == 0 {
		return Report{}, errors.New("a campaign needs a bound: seeds, requests or a duration")
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	seeds := c.seeds(running)
	var mu sync.Mutex
	var sum Report
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := range seeds {
				r, err := Run(ctx, c.Config, seed)
				mu.Lock()
				sum.add(r)
				if c.Progress != nil {
					c.Progress(sum)
				}
				if err != nil || len(sum.Violations) > 0 || c.Requests > 0 && sum.Requests >= c.Requests {
					stop(err)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if err := context.Cause(running); err != nil && !errors.Is(err, context.Canceled) {
		return sum, err
	}
	return sum, ctx.Err()
}

// seeds hands out the seeds, until there are no more or ctx ends.
func (c Campaign) seeds(ctx context.Context) <-chan uint64 {
	seeds := make(chan uint64)
	var over <-chan time.Time
	if c.Duration > 0 {
		over = time.After(c.Duration)
	}
	go func() {
		defer close(seeds)
		for n := 0; c.Seeds == 0 || n < c.Seeds; n++ {
			select {
			case seeds <- c.First + uint64(n):
			case <-over:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return seeds
}
