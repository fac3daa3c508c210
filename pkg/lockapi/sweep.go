package lockapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// SweepLimit is how many locks one sweep looks at, at most.
const SweepLimit = 200

// Swept is what a sweep did.
type Swept struct {
	// Marked counts the locks that were marked stale.
	Marked int `json:"marked"`
	// Passed counts those that were renewed, released or marked meanwhile.
	Passed int `json:"passed"`
	// Dropped counts the state writes that broke off, or were refused, and whose
	// uploads were given up.
	Dropped int `json:"dropped"`
	// More tells that there is more to do than one sweep does.
	More bool `json:"more"`
}

// sweeper is the principal of what sweeps do.
const sweeper = "sweep"

// Sweep marks stale the locks whose leases have lapsed, each by the conditional
// write that anybody's mark_stale is, naming the hold. It frees nothing. Sweeps
// may run at the same time, stop anywhere and be repeated: all of them make the
// same request about the same lapsed lease. It also tidies up after state writes.
func (a *API) Sweep(ctx context.Context) (Swept, error) {
	locks, more, err := a.store.Lapsed(ctx, SweepLimit)
	swept := Swept{More: more}
	if err != nil {
		return swept, fmt.Errorf("sweep: %w", err)
	}
	for _, l := range locks {
		out, err := a.store.Transition(ctx, lockmodel.Request{
			Op: lockmodel.MarkStale, Workspace: l.Workspace, LockID: l.LockID, Principal: sweeper,
			ID: fmt.Sprintf("%s-%d", sweeper, l.LeaseUntil),
		})
		if _, unusable := errors.AsType[*lockmodel.FieldError](err); unusable {
			swept.Passed++ // an item of other hands must not keep the rest from being swept
			continue
		}
		if err != nil {
			return swept, fmt.Errorf("sweep: %w", err)
		}
		a.record(ctx, out)
		if out.Wrote() {
			swept.Marked++
		} else {
			swept.Passed++
		}
	}
	tidied, err := a.store.Tidy(ctx, SweepLimit)
	swept.Dropped, swept.More = tidied.Dropped, swept.More || tidied.More
	if err != nil {
		return swept, fmt.Errorf("sweep: %w", err)
	}
	return swept, nil
}
