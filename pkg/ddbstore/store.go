package ddbstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Client is what the store uses of DynamoDB: the actions that its role needs.
type Client interface {
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

var _ Client = (*dynamodb.Client)(nil)

// DefaultClockSkew is by how much the clocks of the service's instances may
// differ before a request, other than one to delete a state, can be refused,
// wrongly, as late. AWS keeps the
// clocks of its hosts within a millisecond of UTC, other hosts with NTP within
// some tens of milliseconds.
const DefaultClockSkew = 250 * time.Millisecond

// Options configure a Store.
type Options struct {
	// Table is the name of the table. Required.
	Table string
	// ClockSkew is by how much the clocks of the service's instances may
	// differ; it is taken in milliseconds. A late copy of a request is told
	// from a fresh request once the lock has changed more than ClockSkew
	// after the request was made. 0 means that there is one clock.
	ClockSkew time.Duration
	// Notice is for how long a lock must have been stale before it may be
	// force-unlocked.
	Notice time.Duration
	// MaxHold is how long after its beginning a hold's lease may reach; 0 for
	// any length.
	MaxHold time.Duration
	// RequireLock refuses to write state without a lock.
	RequireLock bool
	// KeepVersions is how many versions of a workspace's state are kept, the
	// current one included; 0 means DefaultKeepVersions.
	KeepVersions int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Store keeps locks in a DynamoDB table.
type Store struct {
	client Client
	Options
	// tidying is how far Tidy came in its index, nil or empty for its start.
	tidying atomic.Pointer[map[string]types.AttributeValue]
}

// New returns a store that uses client.
func New(client Client, options Options) *Store {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.KeepVersions == 0 {
		options.KeepVersions = DefaultKeepVersions
	}
	return &Store{client: client, Options: options}
}

// ErrTableDisagrees is the error of a write that DynamoDB performed and the
// transition table would not have, or the other way round: the endpoint does
// not do what DynamoDB does (see Probe), or the item holds values that no
// transition writes. Nothing is claimed about the lock, which is to be looked at.
var ErrTableDisagrees = errors.New("the database and the transition table disagree")

// attempts bounds how often a request that is still there asks again.
const attempts = 3

// Transition performs one transition by one conditional write. A refusal is an
// outcome, not an error: see Outcome.Err. An error means that nothing is known:
// the request is unusable (*lockmodel.FieldError), or DynamoDB failed and the
// write may or may not have been applied; the same request may be tried again.
//
// Only where the lock was freed between the making of an acquire and its write
// is there a second write, with the later clock that tells it from a late copy.
func (s *Store) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	r = s.complete(r)
	if err := r.Validate(); err != nil {
		return lockmodel.Outcome{}, err
	}
	for attempt := 1; ; attempt++ {
		out, err := s.write(ctx, r)
		if err != nil || !out.Rule.AskAgain || attempt == attempts {
			return out, err
		}
		r.Now = max(s.Now().UnixMilli(), out.Before.ChangedAt)
	}
}

// Terms are the settings that transitions depend on.
func (s *Store) Terms() lockmodel.Terms {
	return lockmodel.Terms{
		Skew: s.ClockSkew.Milliseconds(), Notice: s.Notice.Milliseconds(), MaxHold: s.MaxHold.Milliseconds(),
		RequireLock: s.RequireLock,
	}
}

// complete gives a request what the service knows: its clock and its terms.
func (s *Store) complete(r lockmodel.Request) lockmodel.Request {
	r.Now, r.Terms = s.Now().UnixMilli(), s.Terms()
	return r
}

// write performs the conditional write. It is the one function that writes
// lock items.
func (s *Store) write(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	e := render(r)
	result, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           &s.Table,
		Key:                                 key(r.Workspace),
		ConditionExpression:                 &e.condition,
		UpdateExpression:                    &e.update,
		ExpressionAttributeValues:           e.values(r),
		ReturnValues:                        types.ReturnValueAllOld,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var found map[string]types.AttributeValue
	failed, conditionFailed := errors.AsType[*types.ConditionalCheckFailedException](err)
	switch {
	case conditionFailed:
		found = failed.Item
	case unusable(err):
		// The expressions are good for every item that a transition leaves behind.
		return lockmodel.Outcome{}, fmt.Errorf("%s %s: %w: %w", r.Op, r.Workspace, ErrTableDisagrees, err)
	case err != nil:
		return lockmodel.Outcome{}, fmt.Errorf("%s %s: %w", r.Op, r.Workspace, err)
	default:
		found = result.Attributes
	}
	before, err := decode(r.Workspace, found)
	if err != nil {
		return lockmodel.Outcome{}, err
	}
	out := lockmodel.Step(before, r)
	if out.Wrote() == conditionFailed {
		return lockmodel.Outcome{}, fmt.Errorf("%s %s: %w", r.Op, r.Workspace, ErrTableDisagrees)
	}
	return out, nil
}

// unusable reports whether DynamoDB refused the request as one that can't be
// done, such as adding to what is no number.
func unusable(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == "ValidationException"
}

// Lock reads a workspace's lock, consistently with all writes before.
func (s *Store) Lock(ctx context.Context, ws string) (lockmodel.Lock, error) {
	if err := lockmodel.CheckWorkspace(ws); err != nil {
		return lockmodel.Lock{}, err
	}
	consistent := true
	result, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: key(ws), ConsistentRead: &consistent,
	})
	if err != nil {
		return lockmodel.Lock{}, fmt.Errorf("read %s: %w", ws, err)
	}
	return decode(ws, result.Item)
}
