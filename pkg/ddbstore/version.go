package ddbstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// DefaultKeepVersions is how many versions are kept where nothing else is said.
const DefaultKeepVersions = 50

const (
	sortVersion = "version#"
	sortChunk   = "chunk#"
	attrNumber  = "version_no"
	attrBody    = "body"
	// uploading is the "state" of a version of which nobody knows yet whether it
	// became current. It puts such versions, and no others, into the index of
	// locks by state.
	uploading = "uploading"
	// chunkSize leaves room for the rest of an item below DynamoDB's limit of
	// 400 KB.
	chunkSize = 390_000
	// unreferenced is for how long the parts of a version that is not kept stay,
	// for those who are reading it.
	unreferenced = 24 * time.Hour
)

// Version describes a version of a workspace's state.
type Version struct {
	// Number counts the workspace's writes, from 1.
	Number int64
	// Serial and Lineage are as the state says, Missing and "" where it says none.
	Serial  int64
	Lineage string
	// Size is in bytes, as written; Checksum is SHA-256 in hex.
	Size     int64
	Checksum string
	// By is the principal that wrote it, At when, in milliseconds since the Unix
	// epoch, LockID under which lock ("" for none).
	By     string
	At     int64
	LockID string
	// Current tells the version that is read.
	Current bool

	id      string
	chunks  int
	expires bool
}

// versionItem is a version as it is stored; its body is in items beside it.
type versionItem struct {
	Workspace string `dynamodbav:"ws"`
	Sort      string `dynamodbav:"sk"`
	State     string `dynamodbav:"st,omitempty"`
	Number    int64  `dynamodbav:"version_no,omitempty"`
	Serial    *int64 `dynamodbav:"serial,omitempty"`
	Lineage   string `dynamodbav:"lineage,omitempty"`
	Size      int64  `dynamodbav:"bytes"`
	Checksum  string `dynamodbav:"checksum"`
	By        string `dynamodbav:"done_by"`
	At        int64  `dynamodbav:"at_ms"`
	LockID    string `dynamodbav:"lock_id,omitempty"`
	Chunks    int    `dynamodbav:"chunks"`
	Expires   int64  `dynamodbav:"expires_at,omitempty"`
}

// chunkItem is a part of a version's compressed body.
type chunkItem struct {
	Workspace string `dynamodbav:"ws"`
	Sort      string `dynamodbav:"sk"`
	Body      []byte `dynamodbav:"body"`
}

func chunkKey(id string, n int) string { return fmt.Sprintf("%s%s#%04d", sortChunk, id, n) }

// upload stores the version that the request names, so that it is there and no
// more. The description comes first: what is left of an upload that broke off
// is found by it.
func (s *Store) upload(ctx context.Context, r lockmodel.Request, lineage string, compressed []byte) error {
	chunks := slices.Collect(slices.Chunk(compressed, chunkSize))
	v := versionItem{
		Workspace: r.Workspace, Sort: sortVersion + r.Version, State: uploading,
		Lineage: lineage, Size: r.Size, Checksum: r.Checksum, Chunks: len(chunks),
		By: cmp.Or(r.Principal, lockmodel.Anonymous), At: r.Now, LockID: r.LockID,
	}
	if r.Serial != lockmodel.Missing {
		v.Serial = &r.Serial
	}
	if err := s.put(ctx, v); err != nil {
		return fmt.Errorf("store a state of %s: %w", r.Workspace, err)
	}
	for n, part := range chunks {
		if err := s.put(ctx, chunkItem{r.Workspace, chunkKey(r.Version, n), part}); err != nil {
			return fmt.Errorf("store a state of %s: %w", r.Workspace, err)
		}
	}
	return nil
}

// put stores an item of an upload, once: its name is new, so one that is there is
// this very one, and a copy of the request must not undo what came after it.
func (s *Store) put(ctx context.Context, item any) error {
	attributes, err := attributevalue.MarshalMap(item)
	if err != nil {
		return err
	}
	_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, Item: attributes, ConditionExpression: aws.String("attribute_not_exists(" + attrWorkspace + ")"),
	})
	if _, there := errors.AsType[*types.ConditionalCheckFailedException](err); there {
		return nil
	}
	return err
}

// download reads the parts of a version.
func (s *Store) download(ctx context.Context, ws, id, checksum string) (State, error) {
	var compressed bytes.Buffer
	err := s.each(ctx, ws, sortChunk+id+"#", func(attributes map[string]types.AttributeValue) error {
		body, ok := attributes[attrBody].(*types.AttributeValueMemberB)
		if !ok {
			return ErrStateDamaged
		}
		compressed.Write(body.Value)
		return nil
	})
	if err != nil {
		return State{}, fmt.Errorf("read a state of %s: %w", ws, err)
	}
	state, err := restored(compressed.Bytes(), checksum)
	if err != nil {
		return State{}, fmt.Errorf("read a state of %s: %w", ws, err)
	}
	return state, nil
}

// each visits the items of a workspace whose sort keys have a prefix, in order.
func (s *Store) each(ctx context.Context, ws, prefix string, visit func(map[string]types.AttributeValue) error) error {
	query := &dynamodb.QueryInput{
		TableName:                 &s.Table,
		KeyConditionExpression:    aws.String(attrWorkspace + " = :ws AND begins_with(" + attrSort + ", :prefix)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":ws": str(ws), ":prefix": str(prefix)},
		ConsistentRead:            aws.Bool(true),
	}
	for {
		result, err := s.client.Query(ctx, query)
		if err != nil {
			return err
		}
		for _, item := range result.Items {
			if err := visit(item); err != nil {
				return err
			}
		}
		if query.ExclusiveStartKey = result.LastEvaluatedKey; len(query.ExclusiveStartKey) == 0 {
			return nil
		}
	}
}

// Versions lists the versions of a workspace's state that are kept, the latest
// first. The current one is among them from the moment that it is current, and so
// is the one before.
func (s *Store) Versions(ctx context.Context, ws string) ([]Version, error) {
	l, err := s.Lock(ctx, ws)
	if err != nil {
		return nil, err
	}
	all, err := s.versions(ctx, l)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(v Version) bool { return v.Number == 0 || v.expires && !v.Current }), nil
}

// versions reads all versions of a lock's workspace, those that never became
// current (with no number) and those on their way out included.
func (s *Store) versions(ctx context.Context, l lockmodel.Lock) ([]Version, error) {
	var all []Version
	err := s.each(ctx, l.Workspace, sortVersion, func(attributes map[string]types.AttributeValue) error {
		v, err := decodeVersion(attributes)
		switch {
		case err != nil:
		case v.id == l.Version:
			v.Current, v.Number = true, l.VersionNo
		case v.id == l.Previous:
			v.Number = l.VersionNo - 1
		}
		all = append(all, v)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the states of %s: %w", l.Workspace, err)
	}
	slices.SortFunc(all, func(a, b Version) int { return cmp.Compare(b.Number, a.Number) })
	return all, nil
}

func decodeVersion(attributes map[string]types.AttributeValue) (Version, error) {
	var i versionItem
	if err := attributevalue.UnmarshalMap(attributes, &i); err != nil {
		return Version{}, fmt.Errorf("decode a version: %w", err)
	}
	v := Version{
		Number: i.Number, Serial: lockmodel.Missing, Lineage: i.Lineage, Size: i.Size, Checksum: i.Checksum,
		By: i.By, At: i.At, LockID: i.LockID, id: strings.TrimPrefix(i.Sort, sortVersion), chunks: i.Chunks, expires: i.Expires > 0,
	}
	if i.Serial != nil {
		v.Serial = *i.Serial
	}
	return v, nil
}

// VersionState reads the version of that number; ErrNoState where it isn't kept.
func (s *Store) VersionState(ctx context.Context, ws string, number int64) (State, error) {
	all, err := s.Versions(ctx, ws)
	if err != nil {
		return State{}, err
	}
	for _, v := range all {
		if v.Number == number {
			return s.download(ctx, ws, v.id, v.Checksum)
		}
	}
	return State{}, ErrNoState
}

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

func itemKey(ws, sort string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{attrWorkspace: str(ws), attrSort: str(sort)}
}

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
