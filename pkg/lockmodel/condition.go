package lockmodel

// Operand is a value that a condition compares with or a change writes. Its
// string is its name in DynamoDB's expressions.
type Operand string

const (
	opUnlocked  Operand = ":unlocked"
	opHeld      Operand = ":held"
	opStale     Operand = ":stale"
	opZero      Operand = ":0"
	opOne       Operand = ":1"
	opLockID    Operand = ":id"
	opRunner    Operand = ":runner"
	opPrincipal Operand = ":who"
	opKey       Operand = ":req"
	// opAnyID is the least lock id there can be.
	opAnyID      Operand = ":any"
	opNow        Operand = ":now"
	opReason     Operand = ":why"
	opLease      Operand = ":lease"
	opInfo       Operand = ":info"
	opCredential Operand = ":cred"
	opVersion    Operand = ":version"
	opNoVersion  Operand = ":none"
	opChecksum   Operand = ":sum"
	opSize       Operand = ":bytes"
	opSerial     Operand = ":serial"
	// OpNever is the lease of a hold that has none: a time to add that leads far
	// into the past.
	OpNever Operand = ":never"
	// opOutdated is the earliest time of a write, or of a hold, that this request
	// comes before.
	opOutdated Operand = ":outdated"
	// opBefore is the same where clocks get no allowance.
	opBefore Operand = ":before"
	// opNeverBusy is below every time up to which a state write counts: only a
	// hold that wrote none is below it.
	opNeverBusy Operand = ":unbusy"
	// opOverdue is the latest beginning of a hold that has lasted too long.
	opOverdue Operand = ":overdue"
	// opFresh is the latest time that a change may bear which this request
	// could have known of.
	opFresh Operand = ":fresh"
	// opUntil is when the lease that is asked for will end.
	opUntil Operand = ":until"
	// opLapsed is the earliest end of a lease that may still run by some
	// instance's clock.
	opLapsed Operand = ":lapsed"
	// opNoticed is the latest marking whose notice period is over.
	opNoticed Operand = ":noticed"
	// opOldest is the earliest beginning of a hold that the lease asked for
	// would not take beyond the greatest length of a hold.
	opOldest Operand = ":oldest"
)

// Value is what o stands for in request r: a string or an int64, or nil where
// the request has no such thing.
func (o Operand) Value(r Request) any {
	switch o {
	case opUnlocked, opHeld, opStale:
		return string(o[1:])
	case opZero:
		return int64(0)
	case opOne:
		return int64(1)
	case opLockID:
		return r.LockID
	case opRunner:
		return r.Runner
	case opPrincipal:
		if r.Principal == "" {
			return Anonymous
		}
		return r.Principal
	case opKey:
		return r.Key()
	case opAnyID:
		return "!"
	case opNow:
		return r.Now
	case opReason:
		return textOrNil(r.Reason)
	case opLease:
		if r.Lease == 0 {
			return nil
		}
		return r.Lease
	case OpNever:
		return int64(never)
	case opInfo:
		return textOrNil(r.Info)
	case opCredential:
		return textOrNil(r.Credential)
	case opVersion:
		return textOrNil(r.Version)
	case opNoVersion:
		return NoVersion
	case opChecksum:
		return textOrNil(r.Checksum)
	case opSize:
		if r.Version == "" {
			return nil
		}
		return r.Size
	case opSerial:
		if r.Version == "" || r.Serial == Missing {
			return nil
		}
		return r.Serial
	case opOutdated:
		return r.Now + r.Terms.Skew + 1
	case opBefore:
		return r.Now + 1
	case opNeverBusy:
		return int64(2 * never)
	case opOverdue:
		return r.Now - r.Terms.MaxHold - r.Terms.Skew
	case opFresh:
		return r.Now + r.Terms.Skew
	case opUntil:
		if r.Lease == 0 {
			return nil
		}
		return r.Now + r.Lease
	case opLapsed:
		return r.Now - r.Terms.Skew
	case opNoticed:
		return r.Now - r.Terms.Notice - r.Terms.Skew
	case opOldest:
		return r.Now + r.Lease - r.Terms.MaxHold
	}
	return nil
}

// never is in milliseconds, some decades.
const never = -1 << 40

func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Test is the kind of a condition.
type Test uint8

const (
	// Absent: there is no stored item.
	Absent Test = iota
	// Equal: the attribute equals the operand.
	Equal
	// NotEqual: the attribute differs from the operand or is missing.
	NotEqual
	// AtLeast: the attribute is of the operand's type and not below it.
	AtLeast
	// AtMost: the attribute is a number not above the operand.
	AtMost
	// Above: the attribute is a number above the operand.
	Above
	// NotAtLeast: the attribute is below the operand, or no number.
	NotAtLeast
)

// Cond is one condition on a stored lock. Its meaning, missing and mistyped
// attributes included, is that of the DynamoDB expression it is rendered as.
type Cond struct {
	Test Test
	Attr Attr
	Want Operand
}

// All is a conjunction of conditions.
type All []Cond

func eq(a Attr, o Operand) Cond      { return Cond{Equal, a, o} }
func ne(a Attr, o Operand) Cond      { return Cond{NotEqual, a, o} }
func atLeast(a Attr, o Operand) Cond { return Cond{AtLeast, a, o} }
func atMost(a Attr, o Operand) Cond  { return Cond{AtMost, a, o} }
func above(a Attr, o Operand) Cond   { return Cond{Above, a, o} }
func below(a Attr, o Operand) Cond   { return Cond{NotAtLeast, a, o} }

// holds evaluates c on a stored lock.
func (c Cond) holds(l Lock, r Request) bool {
	if c.Test == Absent {
		return !l.Exists
	}
	if !l.Exists {
		return c.Test == NotEqual || c.Test == NotAtLeast
	}
	if p := l.text(c.Attr); p != nil {
		want, _ := c.Want.Value(r).(string)
		switch c.Test {
		case Equal:
			return *p != "" && *p == want
		case NotEqual:
			return *p == "" || *p != want
		case AtLeast:
			return *p != "" && *p >= want
		}
		return false
	}
	v := *l.number(c.Attr)
	want, _ := c.Want.Value(r).(int64)
	switch c.Test {
	case Equal:
		return v == want
	case NotEqual:
		return v != want
	case AtLeast:
		return v != Missing && v >= want
	case AtMost:
		return v != Missing && v <= want
	case Above:
		return v != Missing && v > want
	case NotAtLeast:
		return v == Missing || v < want
	}
	return false
}

// hold evaluates a conjunction on a stored lock.
func (all All) hold(l Lock, r Request) bool {
	for _, c := range all {
		if !c.holds(l, r) {
			return false
		}
	}
	return true
}
