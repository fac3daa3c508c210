package ddbstore

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/statelock/statelock/pkg/lockmodel"
)

const (
	sortEvent = "event#"
	// attrExpires is the time to live, in seconds since the Unix epoch, of
	// history items, and of states on their way out. DynamoDB may take days to
	// delete what has expired.
	attrExpires = "expires_at"
)

// DefaultKeep is for how long history is kept where nothing else is said.
const DefaultKeep = 90 * 24 * time.Hour

// record is an event as it is stored, beside the lock that it happened to.
type record struct {
	Workspace string `dynamodbav:"ws"`
	Sort      string `dynamodbav:"sk"`
	Op        string `dynamodbav:"op"`
	From      string `dynamodbav:"from_state"`
	To        string `dynamodbav:"to_state"`
	Fence     int64  `dynamodbav:"fence"`
	LockID    string `dynamodbav:"lock_id"`
	Runner    string `dynamodbav:"runner"`
	By        string `dynamodbav:"done_by"`
	Reason    string `dynamodbav:"reason,omitempty"`
	RequestID string `dynamodbav:"request_id"`
	At        int64  `dynamodbav:"at_ms"`
	Expires   int64  `dynamodbav:"expires_at"`
}

// Recorder writes the history. It is no part of a transition: on AWS, the
// table's stream feeds it; the local server feeds it after each transition.
type Recorder struct {
	Client RecorderClient
	Table  string
	// Keep is for how long an event is kept.
	Keep time.Duration
}

// RecorderClient is what a Recorder uses of DynamoDB.
type RecorderClient interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
}

// TTLClient is what EnableExpiry uses of DynamoDB.
type TTLClient interface {
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// ErrNoExpiry says that a DynamoDB-compatible server has no time to live.
var ErrNoExpiry = errors.New("this DynamoDB has no time to live: what has expired is never deleted")

// EnableExpiry has a table delete what says when it expires, as the deployments'
// templates do: history items, and states on their way out.
func EnableExpiry(ctx context.Context, client TTLClient, table string) error {
	now, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err == nil {
		if d := now.TimeToLiveDescription; d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
			return nil // on AWS it takes up to an hour
		}
		_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               &table,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attrExpires), Enabled: aws.Bool(true)},
		})
	}
	if unknown, ok := errors.AsType[smithy.APIError](err); ok && unknown.ErrorCode() == "UnknownOperationException" {
		err = ErrNoExpiry
	}
	if err != nil {
		return fmt.Errorf("time to live of table %s: %w", table, err)
	}
	return nil
}

// Record writes an event. Whoever records the same event again writes the same
// item again: a stream may deliver twice.
func (r Recorder) Record(ctx context.Context, e lockmodel.Event) error {
	item, err := attributevalue.MarshalMap(record{
		Workspace: e.Workspace, Sort: eventKey(e), Op: e.Op.String(), From: e.From, To: e.To, Fence: e.Fence,
		LockID: e.LockID, Runner: e.Runner, By: e.By, Reason: e.Reason, RequestID: e.RequestID,
		At: e.At, Expires: time.UnixMilli(e.At).Add(r.Keep).Unix(),
	})
	if err != nil {
		return fmt.Errorf("encode an event of %s: %w", e.Workspace, err)
	}
	if _, err := r.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &r.Table, Item: item}); err != nil {
		return fmt.Errorf("record an event of %s: %w", e.Workspace, err)
	}
	return nil
}

// eventKey puts the events of a workspace in the order in which they happened,
// with no clock: hold by hold, and within one from its beginning to its end. A
// hold begins once, is marked at most once, and ends once.
func eventKey(e lockmodel.Event) string {
	place := map[lockmodel.State]int{lockmodel.Held: 1, lockmodel.Stale: 2, lockmodel.Unlocked: 3}[e.To]
	return fmt.Sprintf("%s%019d#%d", sortEvent, e.Fence, place)
}

// History is a page of a workspace's events, the latest first.
type History struct {
	Events []lockmodel.Event
	// Next continues the list, "" at its end.
	Next string
}

// History reads a page of a workspace's events. On AWS an event appears some
// moments after its transition.
func (s *Store) History(ctx context.Context, ws, cursor string, limit int) (History, error) {
	if err := lockmodel.CheckWorkspace(ws); err != nil {
		return History{}, err
	}
	if limit < 0 || limit > MaxPage {
		return History{}, &lockmodel.FieldError{Field: "limit", Problem: fmt.Sprintf("must be 1 to %d", MaxPage)}
	}
	if limit == 0 {
		limit = DefaultPage
	}
	input := &dynamodb.QueryInput{
		TableName:                 &s.Table,
		KeyConditionExpression:    aws.String(attrWorkspace + " = :ws AND begins_with(" + attrSort + ", :event)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":ws": str(ws), ":event": str(sortEvent)},
		ScanIndexForward:          aws.Bool(false),
		ConsistentRead:            aws.Bool(true),
		Limit:                     aws.Int32(int32(limit)),
	}
	if cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil || !strings.HasPrefix(string(after), sortEvent) || len(after) > len(sortEvent)+40 {
			return History{}, &lockmodel.FieldError{Field: "cursor", Problem: "not the cursor of an earlier page of this history"}
		}
		input.ExclusiveStartKey = map[string]types.AttributeValue{attrWorkspace: str(ws), attrSort: str(string(after))}
	}
	result, err := s.client.Query(ctx, input)
	if err != nil {
		return History{}, fmt.Errorf("read the history of %s: %w", ws, err)
	}
	var page History
	for _, item := range result.Items {
		e, err := decodeEvent(item)
		if err != nil {
			return History{}, err
		}
		page.Events = append(page.Events, e)
	}
	if last, ok := result.LastEvaluatedKey[attrSort].(*types.AttributeValueMemberS); ok {
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(last.Value))
	}
	return page, nil
}

func decodeEvent(item map[string]types.AttributeValue) (lockmodel.Event, error) {
	var r record
	if err := attributevalue.UnmarshalMap(item, &r); err != nil {
		return lockmodel.Event{}, fmt.Errorf("decode an event: %w", err)
	}
	o, err := lockmodel.ParseOp(r.Op)
	if err != nil {
		return lockmodel.Event{}, fmt.Errorf("decode an event of %s: %w", r.Workspace, err)
	}
	return lockmodel.Event{
		Workspace: r.Workspace, Op: o, From: r.From, To: r.To, Fence: r.Fence, LockID: r.LockID,
		Runner: r.Runner, By: r.By, Reason: r.Reason, RequestID: r.RequestID, At: r.At,
	}, nil
}

// Image is an item of the table as a stream shows it: attributes by name, each
// a string or a number in decimal digits; others are left out.
type Image struct {
	Strings map[string]string
	Numbers map[string]string
}

// errNoLock says that an image is of another kind of item.
var errNoLock = errors.New("not a lock item")

// EventBetween tells the event that led from one image of an item to the next;
// nil images are of an item that was not there. It is not ok where the item is
// no lock, or no transition led there.
func EventBetween(before, after *Image) (e lockmodel.Event, ok bool) {
	ws, was, err := before.lock(after)
	if err != nil {
		return lockmodel.Event{}, false
	}
	_, is, err := after.lock(before)
	if err != nil {
		return lockmodel.Event{}, false
	}
	was.Workspace, is.Workspace = ws, ws
	return lockmodel.EventOf(was, is)
}

// lock reads an image; other serves to name the item where there is none.
func (i *Image) lock(other *Image) (ws string, l lockmodel.Lock, err error) {
	named := i
	if named == nil {
		named = other
	}
	if named == nil || named.Strings[attrSort] != sortLock {
		return "", lockmodel.Lock{}, errNoLock
	}
	ws = named.Strings[attrWorkspace]
	if i == nil {
		return ws, lockmodel.NewLock(ws), nil
	}
	attributes := make(map[string]types.AttributeValue, len(i.Strings)+len(i.Numbers))
	for name, value := range i.Strings {
		attributes[name] = str(value)
	}
	for name, value := range i.Numbers {
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return "", lockmodel.Lock{}, fmt.Errorf("%s is no number: %w", name, err)
		}
		attributes[name] = &types.AttributeValueMemberN{Value: value}
	}
	l, err = decode(ws, attributes)
	return ws, l, err
}
