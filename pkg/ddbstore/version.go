package ddbstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	attrNumber  = "version_no"
	// uploading is the "state" of a version of which nobody knows yet whether it
	// became current. It puts such versions, and no others, into the index of
	// locks by state.
	uploading = "uploading"
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

func itemKey(ws, sort string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{attrWorkspace: str(ws), attrSort: str(sort)}
}

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
