package ddbstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// unreferenced is for how long the parts of a version that is not kept stay, for
// those who are reading it.
const unreferenced = 24 * time.Hour

// Settle does what is left to do after a state write: it numbers the version
// that became current and the one before, and lets those go that are not to be
// kept any more. The write stands without it; what it leaves undone, Tidy or the
// next write's Settle does.
func (s *Store) Settle(ctx context.Context, out lockmodel.Outcome) error {
	if !out.Rule.Done() {
		return nil
	}
	if err := s.number(ctx, out.Lock); err != nil {
		return err
	}
	if out.Lock.VersionNo <= int64(s.KeepVersions) {
		return nil
	}
	return s.prune(ctx, out.Lock.Workspace)
}

// prune lets the oldest versions of a workspace go. None of them can become
// current again: a state that is restored is a new version.
func (s *Store) prune(ctx context.Context, ws string) error {
	l, err := s.Lock(ctx, ws) // as it is now, which may be later than the caller's
	if err != nil {
		return err
	}
	all, err := s.versions(ctx, l)
	if err != nil {
		return err
	}
	kept := 0
	for _, v := range all {
		switch {
		case v.Number == 0 || v.expires:
		case v.Current || kept < s.KeepVersions || v.Number >= l.VersionNo:
			kept++
		default:
			// The description is the last to go: what broke off is done again.
			if err := s.expireParts(ctx, ws, v); err != nil {
				return err
			}
			if _, err := s.update(ctx, itemKey(ws, sortVersion+v.id), setExpiry, "", s.expiry()); err != nil {
				return err
			}
		}
	}
	return nil
}

// number records that a lock's version became current, and as which, and the same
// of the one before.
func (s *Store) number(ctx context.Context, l lockmodel.Lock) error {
	if l.VersionNo == lockmodel.Missing {
		return nil
	}
	for id, number := range map[string]int64{l.Version: l.VersionNo, l.Previous: l.VersionNo - 1} {
		if id == "" || id == lockmodel.NoVersion {
			continue
		}
		_, err := s.update(ctx, itemKey(l.Workspace, sortVersion+id), "SET "+attrNumber+" = :no REMOVE "+attrState,
			unnumbered+" AND attribute_not_exists("+attrExpires+")", map[string]types.AttributeValue{":no": num(number)})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	setExpiry  = "SET " + attrExpires + " = :at"
	unnumbered = "attribute_not_exists(" + attrNumber + ")"
)

func (s *Store) expiry() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{":at": num(s.Now().Add(unreferenced).Unix())}
}

// expireParts has DynamoDB delete the parts of a version, in a while.
func (s *Store) expireParts(ctx context.Context, ws string, v Version) error {
	for n := range v.chunks {
		if _, err := s.update(ctx, itemKey(ws, chunkKey(v.id, n)), setExpiry, "", s.expiry()); err != nil {
			return err
		}
	}
	return nil
}

// update changes an item of a version, where it exists and, unless that is "",
// the condition holds. It is done where they do.
func (s *Store) update(ctx context.Context, key map[string]types.AttributeValue, expression, condition string, values map[string]types.AttributeValue) (done bool, err error) {
	exists := "attribute_exists(" + attrWorkspace + ")"
	if condition != "" {
		exists += " AND " + condition
	}
	_, err = s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: key,
		UpdateExpression: &expression, ConditionExpression: &exists,
		ExpressionAttributeValues: values,
	})
	if _, not := errors.AsType[*types.ConditionalCheckFailedException](err); not {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("tidy a version: %w", err)
	}
	return true, nil
}
