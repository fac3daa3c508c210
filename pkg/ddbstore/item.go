package ddbstore

import (
	"fmt"
	"math"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

const (
	attrState      = string(lockmodel.AttrState)
	attrLeaseUntil = string(lockmodel.AttrLeaseUntil)
	attrBusyUntil  = string(lockmodel.AttrBusyUntil)
)

// item is a lock as it is stored. Its attributes are lockmodel's; a test
// compares the tags with them.
type item struct {
	State      text   `dynamodbav:"st"`
	Holders    number `dynamodbav:"holders"`
	Fence      number `dynamodbav:"fence"`
	LockID     text   `dynamodbav:"lock_id"`
	Runner     text   `dynamodbav:"runner"`
	Principal  text   `dynamodbav:"principal"`
	AcquiredAt number `dynamodbav:"acquired_at"`
	StaleAt    number `dynamodbav:"stale_at"`
	LeaseUntil number `dynamodbav:"lease_until"`
	ChangedAt  number `dynamodbav:"changed_at"`
	By         text   `dynamodbav:"done_by"`
	Reason     text   `dynamodbav:"reason"`
	MarkedBy   text   `dynamodbav:"marked_by"`
	FreedBy    text   `dynamodbav:"freed_by"`
	Spent      text   `dynamodbav:"spent"`
	Lease      number `dynamodbav:"lease"`
	BusyUntil  number `dynamodbav:"busy_until"`
	Info       text   `dynamodbav:"info"`
	Credential text   `dynamodbav:"cred"`
	Version    text   `dynamodbav:"version"`
	VersionNo  number `dynamodbav:"version_no"`
	Previous   text   `dynamodbav:"previous"`
	Checksum   text   `dynamodbav:"checksum"`
	Size       number `dynamodbav:"bytes"`
	Serial     number `dynamodbav:"serial"`
	WrittenAt  number `dynamodbav:"written_at"`
	WrittenBy  text   `dynamodbav:"written_by"`
}

// text and number read an attribute of another type as missing, just as the
// conditions of an expression do: a mistyped item is a torn lock, not an error.
type (
	text   string
	number struct {
		value int64
		ok    bool
	}
)

func (t *text) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	if s, ok := av.(*types.AttributeValueMemberS); ok {
		*t = text(s.Value)
	}
	return nil
}

// A number that no transition writes is read as the integer that compares with
// others as it does: rounded down, and cut off at the ends of 64 bits.
func (n *number) UnmarshalDynamoDBAttributeValue(av types.AttributeValue) error {
	v, ok := av.(*types.AttributeValueMemberN)
	if !ok {
		return nil
	}
	n.ok = true
	i, err := strconv.ParseInt(v.Value, 10, 64)
	if err == nil {
		n.value = max(i, math.MinInt64+1) // the least is lockmodel.Missing
		return nil
	}
	f, err := strconv.ParseFloat(v.Value, 64)
	switch {
	case err != nil && f == 0:
		n.ok = false
	case f >= math.MaxInt64:
		n.value = math.MaxInt64
	case f <= math.MinInt64:
		n.value = math.MinInt64 + 1
	default:
		n.value = int64(math.Floor(f))
	}
	return nil
}

func (n number) orMissing() int64 {
	if n.ok {
		return n.value
	}
	return lockmodel.Missing
}

// decode reads a stored item; without attributes there is none.
func decode(ws string, attributes map[string]types.AttributeValue) (lockmodel.Lock, error) {
	if len(attributes) == 0 {
		return lockmodel.NewLock(ws), nil
	}
	var i item
	if err := attributevalue.UnmarshalMap(attributes, &i); err != nil {
		return lockmodel.Lock{}, fmt.Errorf("decode lock item: %w", err)
	}
	return lockmodel.Lock{
		Workspace:  ws,
		Exists:     true,
		State:      lockmodel.State(i.State),
		Holders:    i.Holders.orMissing(),
		Fence:      i.Fence.orMissing(),
		LockID:     string(i.LockID),
		Runner:     string(i.Runner),
		Principal:  string(i.Principal),
		AcquiredAt: i.AcquiredAt.orMissing(),
		StaleAt:    i.StaleAt.orMissing(),
		LeaseUntil: i.LeaseUntil.orMissing(),
		ChangedAt:  i.ChangedAt.orMissing(),
		By:         string(i.By),
		Reason:     string(i.Reason),
		MarkedBy:   string(i.MarkedBy),
		FreedBy:    string(i.FreedBy),
		Spent:      string(i.Spent),
		Lease:      i.Lease.orMissing(),
		BusyUntil:  i.BusyUntil.orMissing(),
		Info:       string(i.Info),
		Credential: string(i.Credential),
		Version:    string(i.Version),
		VersionNo:  i.VersionNo.orMissing(),
		Previous:   string(i.Previous),
		Checksum:   string(i.Checksum),
		Size:       i.Size.orMissing(),
		Serial:     i.Serial.orMissing(),
		WrittenAt:  i.WrittenAt.orMissing(),
		WrittenBy:  string(i.WrittenBy),
	}, nil
}

// decodeAll reads the items of an index.
func decodeAll(items []map[string]types.AttributeValue) ([]lockmodel.Lock, error) {
	var locks []lockmodel.Lock
	for _, attributes := range items {
		ws, ok := attributes[attrWorkspace].(*types.AttributeValueMemberS)
		if !ok {
			return nil, fmt.Errorf("an item of the index has no %s", attrWorkspace)
		}
		l, err := decode(ws.Value, attributes)
		if err != nil {
			return nil, err
		}
		locks = append(locks, l)
	}
	return locks, nil
}

// key is the primary key of a workspace's lock item.
func key(ws string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{attrWorkspace: str(ws), attrSort: str(sortLock)}
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
