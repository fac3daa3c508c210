package history

import (
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// span is what is known of a time of the lock: it is not before lo nor after
// hi, in milliseconds since the Unix epoch. The zero span is no time at all.
type span struct{ lo, hi int64 }

// during gives the times at which the service's clock can have been read for a
// call. Rounding down to milliseconds keeps the order of times.
func during(c *Call) span { return span{c.Start / 1e6, c.End / 1e6} }

func (s span) plus(ms int64) span { return span{s.lo + ms, s.hi + ms} }

// narrowed takes in that the time is known to be t.
func (s span) narrowed(t int64) (span, bool) { return span{t, t}, s.lo <= t && t <= s.hi }

// shown are the times that an answer shows of a lock, Missing where it shows
// none.
type shown struct{ acquired, stale, lease int64 }

func timesOf(v lockmodel.View) (shown, error) {
	var s shown
	for text, to := range map[*string]*int64{&v.AcquiredAt: &s.acquired, &v.StaleAt: &s.stale, &v.LeaseUntil: &s.lease} {
		if *text == "" {
			*to = lockmodel.Missing
			continue
		}
		t, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			return s, err
		}
		*to = t.UnixMilli()
	}
	return s, nil
}
