package broken

import (
	"context"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Store is a store with a mistake.
type Store struct {
	// Name names the mistake.
	Name string
	// What says what a service with this mistake does.
	What string
	// Client, or else Store, makes the mistake.
	Client func(ddbstore.Client) ddbstore.Client
	Store  func(Parts) lockapi.Store
}

// Parts are what a store is made of.
type Parts struct {
	Store  lockapi.Store // the real one
	Client ddbstore.Client
	Table  string
	Now    func() time.Time
}

// Stores lists them all.
func Stores() []Store {
	return []Store{
		{
			Name: "unconditional-write", What: "an acquire takes the lock, whoever holds it",
			Client: edited(acquires, func(e *Expressions) { e.Condition = "(" + e.Condition + ") OR NOT (" + e.Condition + ")" }, asIfFree),
		},
		{
			Name: "read-then-write", What: "the lock is read, decided on in the process, and written without a condition",
			Store: func(p Parts) lockapi.Store { return readThenWrite{p.Store, p} },
		},
		{
			Name: "no-ledger", What: "the holders are not looked at, only the state",
			Client: edited(everything, without("holders = :0", "holders = :1"), nil),
		},
		{
			Name: "release-without-id", What: "a release ends the hold there is, not the one that it names",
			Client: edited(releases, without("lock_id = :id"), nil),
		},
		{
			Name: "spent-forgotten", What: "a lock id may hold the lock again after it was released",
			Client: edited(acquires, without("spent <> :id"), nil),
		},
		{
			Name: "retry-refused", What: "the retry of a request that was done is told that it is refused",
			Store: func(p Parts) lockapi.Store { return retryRefused{p.Store} },
		},
		{
			Name: "late-copies-act", What: "a copy that is late acts on what came after it",
			Client: edited(everything, without("changed_at <= :fresh"), nil),
		},
		{
			Name: "frees-forgotten", What: "a request that freed the lock frees it again",
			Client: edited(everything, without("freed_by <> :req"), nil),
		},
		{
			Name: "lease-ignored", What: "a lock is marked stale while its holder's lease runs",
			Client: edited(everything, without("(NOT lease_until >= :lapsed)"), nil),
		},
		{
			Name: "lease-shortened", What: "the late copy of a renewal takes back what a later one gave",
			Client: edited(everything, without("(NOT lease_until >= :until)"), nil),
		},
		{
			Name: "force-frees-held", What: "a force-unlock frees a lock that is held",
			Client: edited(forces, func(e *Expressions) {
				e.Condition = "(" + e.Condition + ") OR (st = :held AND holders = :1)"
				e.Values[":held"] = &types.AttributeValueMemberS{Value: lockmodel.Held}
			}, nil),
		},
		{
			Name: "fence-stands", What: "an acquisition does not count the fence up",
			Client: edited(acquires, replaced("fence = if_not_exists(fence, :0) + :1", "fence = if_not_exists(fence, :1)"), nil),
		},
	}
}

// asIfFree shows the store the item that its acquire overwrote as one that was
// free: it is none the wiser.
func asIfFree(out *dynamodb.UpdateItemOutput) {
	if len(out.Attributes) == 0 {
		return
	}
	free := maps.Clone(out.Attributes)
	for _, a := range []lockmodel.Attr{
		lockmodel.AttrLockID, lockmodel.AttrRunner, lockmodel.AttrPrincipal, lockmodel.AttrSpent,
		lockmodel.AttrAcquiredAt, lockmodel.AttrStaleAt, lockmodel.AttrLeaseUntil,
	} {
		delete(free, string(a))
	}
	free[string(lockmodel.AttrState)] = &types.AttributeValueMemberS{Value: lockmodel.Unlocked}
	free[string(lockmodel.AttrHolders)] = &types.AttributeValueMemberN{Value: "0"}
	free[string(lockmodel.AttrChangedAt)] = &types.AttributeValueMemberN{Value: "0"}
	out.Attributes = free
}

// readThenWrite decides on what it read, and writes what it decided.
type readThenWrite struct {
	lockapi.Store
	parts Parts
}

// Transition performs a transition in two requests.
func (s readThenWrite) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	l, err := s.Lock(ctx, r.Workspace)
	if err != nil {
		return lockmodel.Outcome{}, err
	}
	r.Now = max(s.parts.Now().UnixMilli(), l.ChangedAt)
	if err := r.Validate(); err != nil {
		return lockmodel.Outcome{}, err
	}
	out := lockmodel.Step(l, r)
	if !out.Wrote() {
		return out, nil
	}
	return out, put(ctx, s.parts.Client, s.parts.Table, out.Lock)
}

// retryRefused answers a request that was done before as one that comes too late.
type retryRefused struct{ lockapi.Store }

// Transition performs a transition.
func (s retryRefused) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	out, err := s.Store.Transition(ctx, r)
	if err != nil || !out.Rule.Done() || out.Wrote() {
		return out, err
	}
	refused := map[lockmodel.Op]lockmodel.Code{
		lockmodel.Acquire: lockmodel.CodeHeld, lockmodel.Renew: lockmodel.CodeNotHolder, lockmodel.ReleaseLock: lockmodel.CodeNotHeld,
		lockmodel.MarkStale: lockmodel.CodeStale, lockmodel.ForceUnlock: lockmodel.CodeNotStale,
	}
	out.Rule = lockmodel.Rule{Code: refused[r.Op], Reason: "refused"}
	return out, nil
}
