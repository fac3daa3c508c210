package explore

import (
	"fmt"
	"maps"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Item is a stored item as a checker makes it: sound, torn or mistyped.
type Item struct {
	Name string
	// Attributes are strings, int64s, or of a type that belongs to none of
	// the attributes (Mistyped). Nil means that there is no item.
	Attributes map[lockmodel.Attr]any
}

// Mistyped stands for a value of a wrong type: neither text nor number.
type Mistyped struct{}

// Lock is how the service reads the item: what is mistyped is missing.
func (i Item) Lock() lockmodel.Lock {
	l := lockmodel.NewLock("ws")
	l.Exists = i.Attributes != nil
	text := func(a lockmodel.Attr) string { s, _ := i.Attributes[a].(string); return s }
	number := func(a lockmodel.Attr) int64 {
		if n, ok := i.Attributes[a].(int64); ok {
			return n
		}
		return lockmodel.Missing
	}
	l.State = text(lockmodel.AttrState)
	l.Holders = number(lockmodel.AttrHolders)
	l.Fence = number(lockmodel.AttrFence)
	l.LockID = text(lockmodel.AttrLockID)
	l.Runner = text(lockmodel.AttrRunner)
	l.Principal = text(lockmodel.AttrPrincipal)
	l.AcquiredAt = number(lockmodel.AttrAcquiredAt)
	l.StaleAt = number(lockmodel.AttrStaleAt)
	l.LeaseUntil = number(lockmodel.AttrLeaseUntil)
	l.ChangedAt = number(lockmodel.AttrChangedAt)
	l.By = text(lockmodel.AttrBy)
	l.Reason = text(lockmodel.AttrReason)
	l.MarkedBy = text(lockmodel.AttrMarkedBy)
	l.FreedBy = text(lockmodel.AttrFreedBy)
	l.Spent = text(lockmodel.AttrSpent)
	l.Lease = number(lockmodel.AttrLease)
	l.BusyUntil = number(lockmodel.AttrBusyUntil)
	l.Info = text(lockmodel.AttrInfo)
	l.Credential = text(lockmodel.AttrCredential)
	l.Version = text(lockmodel.AttrVersion)
	l.Previous = text(lockmodel.AttrPrevious)
	l.VersionNo = number(lockmodel.AttrVersionNo)
	l.Checksum = text(lockmodel.AttrChecksum)
	l.Size = number(lockmodel.AttrSize)
	l.Serial = number(lockmodel.AttrSerial)
	l.WrittenAt = number(lockmodel.AttrWrittenAt)
	l.WrittenBy = text(lockmodel.AttrWrittenBy)
	return l
}

// The product is taken at one time by the service's clock, with these terms.
const productNow = int64(epoch)

var productTerms = []lockmodel.Terms{
	{},
	{Skew: 100, Notice: 1000, MaxHold: 10_000},
}

// Requests gives requests of every shape: every operation, naming no hold, the
// one in the items or another, by its holder or by another, with and without
// leases; and, once more under other terms, those that differ in the hold named.
func Requests() []lockmodel.Request {
	var all []lockmodel.Request
	for _, t := range productTerms {
		for _, o := range lockmodel.Ops() {
			for _, lockID := range []string{"", "id-a", "id-b"} {
				for _, runner := range []string{"", "a", "b"} {
					for _, principal := range []string{"", "iam:x"} {
						r := lockmodel.Request{
							Op: o, Workspace: "ws", ID: "r1", LockID: lockID, Runner: runner,
							Principal: principal, Now: productNow, Terms: t,
						}
						if o == lockmodel.Renew {
							r.Lease = 5000
						}
						if r.Validate() != nil {
							continue // an acquire without a name
						}
						if o == lockmodel.WriteState && (runner != "" || principal != "") {
							continue // names neither
						}
						if o != lockmodel.Acquire && runner != "" && principal != "" {
							continue // each guard is looked at by itself
						}
						if t != productTerms[0] && (principal != "" || runner != "" && o != lockmodel.Acquire) {
							continue // guards don't depend on terms
						}
						all = append(all, variants(r)...)
					}
				}
			}
		}
	}
	return all
}

// variants gives a request and those that differ from it in what its operation
// may bring.
func variants(r lockmodel.Request) []lockmodel.Request {
	all := []lockmodel.Request{r}
	if r.Op != lockmodel.Acquire && r.Runner != "" {
		return all // what it brings doesn't depend on this guard
	}
	with := func(change func(*lockmodel.Request)) {
		changed := r
		change(&changed)
		all = append(all, changed)
	}
	lapsed := func(digest string) {
		if r.LockID != "" {
			with(func(r *lockmodel.Request) { r.Credential, r.Lapsed = digest, true })
		}
	}
	switch r.Op {
	case lockmodel.Acquire:
		with(func(r *lockmodel.Request) { r.Lease, r.Reason = 5000, "to apply" })
		with(func(r *lockmodel.Request) { r.Info, r.Credential = "{}", "secret" })
	case lockmodel.ReleaseLock:
		lapsed("secret")
		lapsed("another")
	case lockmodel.WriteState: // r itself deletes the state
		for _, serial := range []int64{5, lockmodel.Missing} {
			with(func(r *lockmodel.Request) {
				r.Version, r.Checksum, r.Size, r.Serial = "v1", "sum", 100, serial
			})
		}
		if r.LockID != "" {
			with(func(r *lockmodel.Request) {
				r.Version, r.Checksum, r.Size, r.Serial, r.Restore = "v1", "sum", 100, 5, true
			})
		}
		lapsed("secret")
		lapsed("another")
	}
	return all
}

// attributes is a change of a base item.
type attributes = map[lockmodel.Attr]any

// Items gives the absent item, a base item for each state, and each of these
// with one thing changed: an attribute missing or mistyped, a ledger that
// disagrees, a deadline on either side, a memory of the requests of Requests.
func Items() []Item {
	items := []Item{{Name: "absent"}, {Name: "empty", Attributes: attributes{}}}
	bases := map[lockmodel.State]attributes{
		lockmodel.Unlocked: {
			lockmodel.AttrState: lockmodel.Unlocked, lockmodel.AttrHolders: int64(0), lockmodel.AttrFence: int64(3),
			lockmodel.AttrBy: lockmodel.Anonymous, lockmodel.AttrReason: "because",
			lockmodel.AttrChangedAt: productNow - 500, lockmodel.AttrMarkedBy: "mark_stale/r0", lockmodel.AttrFreedBy: "release_lock/r0",
			lockmodel.AttrSpent:    "id-0",
			lockmodel.AttrPrevious: "v00", lockmodel.AttrVersion: "v0", lockmodel.AttrVersionNo: int64(7), lockmodel.AttrChecksum: "sum-0", lockmodel.AttrSize: int64(9),
			lockmodel.AttrWrittenAt: productNow - 500, lockmodel.AttrWrittenBy: "write_state/r0",
		},
		lockmodel.Held: {
			lockmodel.AttrState: lockmodel.Held, lockmodel.AttrHolders: int64(1), lockmodel.AttrFence: int64(4),
			lockmodel.AttrLockID: "id-a", lockmodel.AttrRunner: "a", lockmodel.AttrPrincipal: lockmodel.Anonymous,
			lockmodel.AttrAcquiredAt: productNow - 500, lockmodel.AttrChangedAt: productNow - 500,
			lockmodel.AttrMarkedBy: "mark_stale/r00", lockmodel.AttrFreedBy: "release_lock/r0", lockmodel.AttrSpent: "id-0",
			lockmodel.AttrInfo: "{}", lockmodel.AttrCredential: "secret",
			lockmodel.AttrPrevious: "v00", lockmodel.AttrVersion: "v0", lockmodel.AttrVersionNo: int64(7), lockmodel.AttrChecksum: "sum-0", lockmodel.AttrSize: int64(9),
			lockmodel.AttrSerial: int64(4), lockmodel.AttrWrittenAt: productNow - 500, lockmodel.AttrWrittenBy: "write_state/r0",
		},
	}
	stale := maps.Clone(bases[lockmodel.Held])
	maps.Copy(stale, attributes{
		lockmodel.AttrState: lockmodel.Stale, lockmodel.AttrStaleAt: productNow - 1000, lockmodel.AttrMarkedBy: "mark_stale/r0",
	})
	bases[lockmodel.Stale] = stale

	for _, state := range lockmodel.States() {
		base := bases[state]
		with := func(name string, change attributes) {
			changed := maps.Clone(base)
			for a, v := range change {
				if v == nil {
					delete(changed, a)
				} else {
					changed[a] = v
				}
			}
			items = append(items, Item{Name: state + ", " + name, Attributes: changed})
		}
		with("sound", nil)
		for _, a := range slices.Sorted(maps.Keys(base)) {
			with(string(a)+" missing", attributes{a: nil})
			// The key of an index is of its type or missing. What is added to
			// without a look at it first is DynamoDB's to refuse, and what is
			// copied so is copied as it is.
			if a != lockmodel.AttrState && a != lockmodel.AttrVersionNo && a != lockmodel.AttrVersion {
				with(string(a)+" mistyped", attributes{a: Mistyped{}})
			}
		}
		for _, v := range tampered {
			with(fmt.Sprintf("%s %v", v.attr, v.value), attributes{v.attr: v.value})
		}
		for _, m := range remembered() {
			with("remembers "+m.name, m.change)
		}
	}
	return items
}

// tampered are single values that a base item gets, sound in some states and
// torn in others.
var tampered = []struct {
	attr  lockmodel.Attr
	value any
}{
	{lockmodel.AttrState, lockmodel.Unlocked},
	{lockmodel.AttrState, lockmodel.Held},
	{lockmodel.AttrState, lockmodel.Stale},
	{lockmodel.AttrState, "force_released"},
	{lockmodel.AttrHolders, int64(-1)},
	{lockmodel.AttrHolders, int64(0)},
	{lockmodel.AttrHolders, int64(1)},
	{lockmodel.AttrHolders, int64(2)},
	{lockmodel.AttrFence, int64(0)},
	{lockmodel.AttrFence, int64(-1)},
	{lockmodel.AttrChangedAt, int64(-1)},
	{lockmodel.AttrChangedAt, productNow},
	{lockmodel.AttrChangedAt, productNow + 1},
	{lockmodel.AttrChangedAt, productNow + 100},
	{lockmodel.AttrChangedAt, productNow + 101},
	{lockmodel.AttrLeaseUntil, productNow - 101},
	{lockmodel.AttrLeaseUntil, productNow - 100},
	{lockmodel.AttrLeaseUntil, productNow - 1},
	{lockmodel.AttrLeaseUntil, productNow},
	{lockmodel.AttrStaleAt, int64(-1)},
	{lockmodel.AttrStaleAt, productNow - 1099},
	{lockmodel.AttrStaleAt, productNow - 1100},
	{lockmodel.AttrLockID, ""},
	{lockmodel.AttrLockID, " "},
	{lockmodel.AttrLeaseUntil, productNow + 4999},
	{lockmodel.AttrLeaseUntil, productNow + 5000},
	{lockmodel.AttrAcquiredAt, productNow - 5000},
	{lockmodel.AttrAcquiredAt, productNow - 5001},
	{lockmodel.AttrPrincipal, "iam:x"},
	{lockmodel.AttrLease, int64(5000)},
	{lockmodel.AttrBusyUntil, productNow - 101},
	{lockmodel.AttrBusyUntil, productNow - 100},
	{lockmodel.AttrBusyUntil, productNow - 1},
	{lockmodel.AttrBusyUntil, productNow},
	{lockmodel.AttrBusyUntil, productNow + 4999},
	{lockmodel.AttrBusyUntil, productNow + 5000},
	{lockmodel.AttrBusyUntil, int64(-1)},
	{lockmodel.AttrAcquiredAt, productNow - 10_100},
	{lockmodel.AttrAcquiredAt, productNow - 10_099},
	{lockmodel.AttrAcquiredAt, productNow},
	{lockmodel.AttrAcquiredAt, productNow + 1},
	{lockmodel.AttrAcquiredAt, productNow + 100},
	{lockmodel.AttrAcquiredAt, productNow + 101},
	{lockmodel.AttrSerial, int64(5)},
	{lockmodel.AttrSerial, int64(6)},
	{lockmodel.AttrWrittenAt, productNow},
	{lockmodel.AttrWrittenAt, productNow + 1},
	{lockmodel.AttrWrittenAt, productNow + 100},
	{lockmodel.AttrWrittenAt, productNow + 101},
	{lockmodel.AttrCredential, "another"},
	{lockmodel.AttrPrevious, "v1"},
	{lockmodel.AttrSpent, "id-a"},
	{lockmodel.AttrSpent, "id-b"},
}

// memory is a change that makes an item remember a request.
type memory struct {
	name   string
	change attributes
}

// remembered gives, for each request that the lock would have to know again,
// the memory of it.
func remembered() []memory {
	var all []memory
	seen := map[string]bool{}
	for _, r := range Requests() {
		attr, key := lockmodel.AttrFreedBy, r.Key()
		switch r.Op {
		case lockmodel.Acquire, lockmodel.Renew:
			continue
		case lockmodel.MarkStale:
			attr = lockmodel.AttrMarkedBy
		case lockmodel.WriteState:
			attr = lockmodel.AttrWrittenBy
		}
		if !seen[key] {
			seen[key] = true
			all = append(all, memory{key, attributes{attr: key}})
		}
	}
	return all
}
