package lockmodel

import (
	"strconv"
	"strings"
	"time"
)

// Step performs a request on a stored lock. It is the whole machine: the store
// only asks DynamoDB to do the same.
func Step(l Lock, r Request) Outcome { return table.Step(l, r) }

// Step is Step by the rules of t.
func (t *Table) Step(l Lock, r Request) Outcome {
	if int(r.Op) >= numOps {
		return Outcome{
			Request: r, Situation: Torn, Before: l, Lock: l,
			Rule: refuseUnknown,
		}
	}
	s := Classify(l, r)
	rule := t[r.Op][s]
	return Outcome{Request: r, Situation: s, Rule: rule, Before: l, Lock: rule.Effect.apply(l, r)}
}

// Outcome is what became of a request.
type Outcome struct {
	Request   Request
	Situation Situation
	Rule      Rule
	Before    Lock // as the request found it
	Lock      Lock // as the request left it
}

// Wrote reports whether the stored lock was changed.
func (o Outcome) Wrote() bool { return o.Rule.Effect != Keep }

// Err is nil where the request is done, else its *Refusal.
func (o Outcome) Err() error {
	if o.Rule.Done() {
		return nil
	}
	return &Refusal{Op: o.Request.Op, Code: o.Rule.Code, Reason: o.reason(), Lock: o.Lock}
}

// Refusal is the error of a request that was refused: an answer about the
// lock, not a failure of the service. It carries the lock that stood in the way.
type Refusal struct {
	Op     Op
	Code   Code
	Reason string
	Lock   Lock
}

func (e *Refusal) Error() string { return e.Op.String() + " refused: " + e.Reason }

// reason fills in the rule's sentence.
func (o Outcome) reason() string {
	l := o.Before
	return strings.NewReplacer(
		"{runner}", l.Runner,
		"{lock_id}", l.LockID,
		"{id}", o.Request.LockID,
		"{state}", orUnreadable(l.State),
		"{holders}", count(l.Holders),
		"{acquired_at}", timestamp(l.AcquiredAt),
		"{stale_at}", timestamp(l.StaleAt),
		"{lease_until}", timestamp(l.aliveUntil(o.Request.Terms)),
		"{left}", duration(l.aliveUntil(o.Request.Terms)+o.Request.Terms.Skew-o.Request.Now),
		"{notice}", duration(l.StaleAt+o.Request.Terms.Notice-o.Request.Now),
	).Replace(o.Rule.Reason)
}

func orUnreadable(s State) string {
	if s == "" {
		return "unreadable"
	}
	return s
}

func count(holders int64) string {
	switch holders {
	case Missing:
		return "no readable number of holders"
	case 1:
		return "1 holder"
	}
	return strconv.FormatInt(holders, 10) + " holders"
}

// duration spells a time to wait, in seconds that are surely enough.
func duration(ms int64) string {
	return strconv.FormatInt(max(ms, 0)/1000+1, 10) + " s"
}

// timestamp spells a time of the lock for people and in JSON, "" where missing.
func timestamp(ms int64) string {
	if ms == Missing {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
