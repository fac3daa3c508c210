package lockapi

import (
	"fmt"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Bounds on any lease. Below the least, an ordinary pause of the holder or of
// the network would end it.
const (
	MinLease = 5 * time.Second
	MaxLease = 24 * time.Hour
)

// Leases are a deployment's rules about leases.
type Leases struct {
	// Default is granted where the request doesn't say; 0 for none.
	Default time.Duration
	// Max is the longest that is granted; 0 stands for MaxLease.
	Max time.Duration
}

// Validate reports rules that could not be kept, where a hold's lease may reach
// maxHold after its beginning, 0 for any length.
func (l Leases) Validate(maxHold time.Duration) error {
	if l.Max != 0 && (l.Max < MinLease || l.Max > MaxLease) {
		return fmt.Errorf("the longest lease must be between %s and %s", MinLease, MaxLease)
	}
	if l.Default != 0 && (l.Default < MinLease || l.Default > l.longest()) {
		return fmt.Errorf("the default lease must be between %s and %s", MinLease, l.longest())
	}
	if maxHold > 0 && l.Default > maxHold {
		return fmt.Errorf("the default lease, %s, is longer than the longest hold, %s: no acquire that doesn't say would be granted", l.Default, maxHold)
	}
	return nil
}

func (l Leases) longest() time.Duration {
	if l.Max == 0 {
		return MaxLease
	}
	return l.Max
}

// grant gives the lease for the seconds that were asked for: 0 asks for none,
// nil for the default.
func (l Leases) grant(seconds *int64) (time.Duration, error) {
	if seconds == nil {
		return l.Default, nil
	}
	lease := time.Duration(*seconds) * time.Second
	if lease != 0 && (lease < MinLease || lease > l.longest()) {
		return 0, &lockmodel.FieldError{Field: fieldLease, Problem: fmt.Sprintf("must be 0 for no lease, or %d to %d",
			int64(MinLease.Seconds()), int64(l.longest().Seconds()))}
	}
	return lease, nil
}
