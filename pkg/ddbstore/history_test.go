package ddbstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// image is an item as a stream shows it.
func image(item map[string]types.AttributeValue) *ddbstore.Image {
	if item == nil {
		return nil
	}
	i := &ddbstore.Image{Strings: map[string]string{}, Numbers: map[string]string{}}
	for name, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			i.Strings[name] = v.Value
		case *types.AttributeValueMemberN:
			i.Numbers[name] = v.Value
		}
	}
	return i
}

// The events that a stream of the table tells are those that the transitions
// were, each once however often it is told, and the latest first.
func TestHistory(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	recorder := ddbstore.Recorder{Client: db.Client, Table: db.Table, Keep: time.Hour}
	var told []lockmodel.Event
	perform := func(r lockmodel.Request) {
		before := db.Get(t, "prod")
		do(t, s, r)
		e, ok := ddbstore.EventBetween(image(before), image(db.Get(t, "prod")))
		if !ok {
			return
		}
		told = append(told, e)
		for range 2 {
			if err := recorder.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		acquire := request(lockmodel.Acquire, "prod")
		perform(acquire)
		perform(renewal(acquire)) // no event
		perform(request(lockmodel.ForceUnlock, "prod"))
		perform(request(lockmodel.ReleaseLock, "prod"))
	}
	perform(request(lockmodel.Acquire, "prod"))
	mark := request(lockmodel.MarkStale, "prod")
	mark.Reason, mark.Principal = "it crashed", "iam:operator"
	perform(mark)
	perform(request(lockmodel.ForceUnlock, "prod"))

	const want = "acquire 1, release_lock 1, acquire 2, release_lock 2, acquire 3, release_lock 3, acquire 4, mark_stale 4, force_unlock 4"
	for pageSize := 1; pageSize < 12; pageSize++ {
		var got []string
		cursor := ""
		for {
			page, err := s.History(t.Context(), "prod", cursor, pageSize)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Events {
				got = append([]string{fmt.Sprintf("%s %d", e.Op, e.Fence)}, got...)
				if e != told[len(told)-len(got)] {
					t.Errorf("read %+v, told %+v", e, told[len(told)-len(got)])
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("pages of %d: %s", pageSize, all)
		}
	}
	if told[7].Reason != "it crashed" || told[7].By != "iam:operator" {
		t.Errorf("the mark: %+v", told[7])
	}
	// History is beside the lock, not in its lists.
	if got, _ := names(t, s, ddbstore.Query{State: lockmodel.Unlocked}); len(got) != 1 {
		t.Errorf("lists show %v", got)
	}
}

// What is no transition of a lock tells no event.
func TestNoEvent(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	do(t, s, request(lockmodel.Acquire, "prod"))
	lock := image(db.Get(t, "prod"))
	other := &ddbstore.Image{Strings: map[string]string{"ws": "prod", "sk": "event#1#1"}}
	for name, images := range map[string][2]*ddbstore.Image{
		"another item":   {nil, other},
		"the same twice": {lock, lock},
		"a deletion":     {lock, nil},
		"nothing":        {nil, nil},
	} {
		if e, ok := ddbstore.EventBetween(images[0], images[1]); ok {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// History items have a time to live, and locks have none.
func TestHistoryExpiresAndLocksDoNot(t *testing.T) {
	t.Parallel()
	var rec recorder
	db := testdb.Open(t, rec.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	out := do(t, s, request(lockmodel.Acquire, "prod"))
	if strings.Contains(rec.seen[0], "expires_at") {
		t.Errorf("a lock item expires: %s", rec.seen[0])
	}
	e, _ := lockmodel.EventOf(out.Before, out.Lock)
	if err := (ddbstore.Recorder{Client: db.Client, Table: db.Table, Keep: time.Hour}).Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`"expires_at":{"N":"%d"}`, e.At/1000+3600); !strings.Contains(rec.seen[1], want) {
		t.Errorf("want %s in %s", want, rec.seen[1])
	}
}

func TestHistoryChecksItsQuery(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	for field, q := range map[string]struct {
		ws, cursor string
		limit      int
	}{
		"ws": {"a//b", "", 0}, "cursor": {"prod", "bG9jaw", 0}, "limit": {"prod", "", -1},
	} {
		_, err := s.History(t.Context(), q.ws, q.cursor, q.limit)
		if bad, ok := errors.AsType[*lockmodel.FieldError](err); !ok || bad.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// ttlClient is a DynamoDB whose table has that status of its time to live.
type ttlClient types.TimeToLiveStatus

func (c ttlClient) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatus(c)}}, nil
}

var errChanged = errors.New("changed")

func (c ttlClient) UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return nil, errChanged
}

// A table that deletes what has expired, or soon will, is left as it is: DynamoDB
// refuses to be told again.
func TestEnableExpiryOnce(t *testing.T) {
	t.Parallel()
	for status, want := range map[types.TimeToLiveStatus]error{
		types.TimeToLiveStatusEnabled: nil, types.TimeToLiveStatusEnabling: nil, types.TimeToLiveStatusDisabled: errChanged,
	} {
		if err := ddbstore.EnableExpiry(t.Context(), ttlClient(status), "locks"); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", status, err, want)
		}
	}
}
