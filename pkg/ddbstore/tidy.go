package ddbstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// UploadGrace is how long after its beginning a state write is looked at by Tidy:
// long after its own Settle.
const UploadGrace = time.Hour

// LongestPause is how long after its beginning a state write is given up at the
// earliest: longer than any request is on its way, or a process stands still in
// the middle of one. Until then it might land by what lands before it, however
// old: the table holds when things were asked for, not when they were done.
const LongestPause = 24 * time.Hour

// Tidied is what Tidy did.
type Tidied struct {
	// Numbered counts versions that became current unnoticed, Dropped those that
	// never can, and Left those that still may.
	Numbered, Dropped, Left int
	// More tells that there are more than one call looks at: the next one goes
	// on after these.
	More bool
}

// Tidy finds state writes that are longer ago than UploadGrace and were not
// settled, at most limit of them. What became current is numbered. What broke off
// or was refused longer than LongestPause ago is deleted by DynamoDB, unless the
// transition table says that it could still become current if its last request
// arrived now. The others are left for a later call, and keep none from the rest:
// a store remembers how far it came. It reads an index that holds such writes
// alone. It may run at the same time as anything else, stop anywhere and be
// repeated.
func (s *Store) Tidy(ctx context.Context, limit int) (Tidied, error) {
	var t Tidied
	query := &dynamodb.QueryInput{
		TableName:                 &s.Table,
		IndexName:                 aws.String(indexByState),
		KeyConditionExpression:    aws.String(attrState + " = :uploading"),
		FilterExpression:          aws.String("at_ms < :before"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":uploading": str(uploading), ":before": num(s.Now().Add(-UploadGrace).UnixMilli())},
	}
	if place := s.tidying.Load(); place != nil {
		query.ExclusiveStartKey = *place
	}
	for {
		query.Limit = aws.Int32(int32(limit - t.seen())) // counted before the filter
		result, err := s.client.Query(ctx, query)
		if err != nil {
			return t, fmt.Errorf("look for broken state writes: %w", err)
		}
		for _, attributes := range result.Items {
			if err := s.tidy(ctx, attributes, &t); err != nil {
				return t, err
			}
		}
		query.ExclusiveStartKey = result.LastEvaluatedKey
		s.tidying.Store(&result.LastEvaluatedKey)
		if t.More = len(result.LastEvaluatedKey) > 0; !t.More || t.seen() == limit {
			return t, nil
		}
	}
}

func (t Tidied) seen() int { return t.Numbered + t.Dropped + t.Left }

// tidy decides about one write: what the lock points to, or pointed to before,
// became current. An item of other hands is left alone, and doesn't keep the rest
// from being looked at.
func (s *Store) tidy(ctx context.Context, attributes map[string]types.AttributeValue, t *Tidied) error {
	v, err := decodeVersion(attributes)
	ws, ok := attributes[attrWorkspace].(*types.AttributeValueMemberS)
	if err != nil || !ok || lockmodel.CheckWorkspace(ws.Value) != nil {
		t.Left++
		return nil //nolint:nilerr // see above
	}
	l, err := s.Lock(ctx, ws.Value)
	if err != nil {
		return err
	}
	if l.Version == v.id || l.Previous == v.id {
		t.Numbered++
		return s.number(ctx, l)
	}
	if s.Now().Add(-LongestPause).UnixMilli() < v.At || s.mayLand(l, v) {
		t.Left++
		return nil
	}
	dropped, err := s.drop(ctx, l.Workspace, v)
	if dropped {
		t.Dropped++
	} else {
		t.Left++
	}
	return err
}

// mayLand reports whether the write of an upload would be done if it arrived now.
// If not, neither will it be later: the hold that it names has ended, or lock or
// state changed after it was made. Serial numbers are left out of it, since they
// are forgotten.
func (s *Store) mayLand(l lockmodel.Lock, v Version) bool {
	r := s.complete(lockmodel.Request{
		Op: lockmodel.WriteState, Workspace: l.Workspace, ID: "upload", LockID: v.LockID,
		Version: v.id, Checksum: v.Checksum, Size: v.Size, Serial: lockmodel.Missing,
	})
	r.Now = v.At
	return lockmodel.Step(l, r).Wrote()
}

// drop lets an upload go that can't become current any more. Its description is
// claimed first, on condition that it did not become current before, and stays
// in the index until all is done.
func (s *Store) drop(ctx context.Context, ws string, v Version) (dropped bool, err error) {
	description := itemKey(ws, sortVersion+v.id)
	claimed, err := s.update(ctx, description, setExpiry, unnumbered, s.expiry())
	if err != nil || !claimed {
		return false, err
	}
	if err := s.expireParts(ctx, ws, v); err != nil {
		return false, err
	}
	_, err = s.update(ctx, description, "REMOVE "+attrState, unnumbered, nil)
	return err == nil, err
}
