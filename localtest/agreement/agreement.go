// Package agreement compares a DynamoDB with the transition table: for every
// stored item that the checkers can think of and every request, whether the
// condition held, the answer, and the item afterwards must be Step's.
package agreement

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
	"github.com/statelock/statelock/pkg/lockmodel/explore"
)

// Report tells what was compared.
type Report struct {
	Items, Requests int
	Meetings        int // of an item with a request
	Written         int // of these, those whose condition held
	Disagreements   []string
}

// most bounds how many disagreements are reported.
const most = 20

// Check compares the DynamoDB behind client with Step, in the given table. Every
// 1 lets each item meet each request; a greater one leaves it at every so many,
// others for the next item. An error is a failure of the database.
func Check(ctx context.Context, client *dynamodb.Client, table string, every int) (Report, error) {
	c := checker{client: client, table: table}
	items, requests := explore.Items(), explore.Requests()
	c.report.Items, c.report.Requests = len(items), len(requests)
	for n, item := range items {
		// Each item is a workspace of its own, so that what is wrong with one
		// does not spread.
		var met []lockmodel.Request
		for m := n % every; m < len(requests); m += every {
			met = append(met, requests[m])
		}
		if err := c.item(ctx, fmt.Sprintf("ws-%d", n), item, met); err != nil {
			return c.report, fmt.Errorf("%s: %w", item.Name, err)
		}
	}
	return c.report, nil
}

type checker struct {
	client *dynamodb.Client
	table  string
	report Report
}

// item lets every request meet one item. The item is written again after each
// request that changed it; that the others changed nothing is seen at the end.
func (c *checker) item(ctx context.Context, ws string, item explore.Item, requests []lockmodel.Request) error {
	before := item.Lock()
	before.Workspace = ws
	stored := attributes(ws, item)
	if err := c.restore(ctx, ws, stored); err != nil {
		return err
	}
	for _, r := range requests {
		r.Workspace = ws
		store := ddbstore.New(c.client, ddbstore.Options{
			Table:     c.table,
			ClockSkew: ms(r.Terms.Skew), Notice: ms(r.Terms.Notice), MaxHold: ms(r.Terms.MaxHold),
			Now: func() time.Time { return time.UnixMilli(r.Now) },
		})
		want := lockmodel.Step(before, r)
		if want.Rule.AskAgain {
			// The store asks again with the time that it was told: so must we.
			r.Now = max(r.Now, before.ChangedAt)
			want = lockmodel.Step(before, r)
		}
		got, err := store.Transition(ctx, r)
		c.report.Meetings++
		meeting := fmt.Sprintf("%s meets %+v", item.Name, r)
		if err != nil {
			c.disagree("%s: %v", meeting, err)
			if err := c.restore(ctx, ws, stored); err != nil {
				return err
			}
			continue
		}
		if want.Situation != got.Situation || want.Answer() != got.Answer() {
			c.disagree("%s: %s, want %s; answers (-Step +database):\n%s", meeting,
				got.Situation, want.Situation, cmp.Diff(want.Answer(), got.Answer()))
		}
		if !got.Wrote() {
			continue
		}
		c.report.Written++
		if err := c.compare(ctx, meeting, ws, changed(stored, ws, want)); err != nil {
			return err
		}
		if err := c.restore(ctx, ws, stored); err != nil {
			return err
		}
	}
	return c.compare(ctx, item.Name+" after refusals only", ws, stored)
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func (c *checker) disagree(format string, args ...any) {
	if len(c.report.Disagreements) < most {
		c.report.Disagreements = append(c.report.Disagreements, fmt.Sprintf(format, args...))
	}
}

// compare reads the item and compares it with what it must be.
func (c *checker) compare(ctx context.Context, what, ws string, want map[string]types.AttributeValue) error {
	out, err := c.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &c.table, Key: key(ws), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return err
	}
	if diff := cmp.Diff(readable(want), readable(out.Item)); diff != "" {
		c.disagree("%s: the item (-Step +database):\n%s", what, diff)
	}
	return nil
}

func (c *checker) restore(ctx context.Context, ws string, item map[string]types.AttributeValue) error {
	if item == nil {
		_, err := c.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &c.table, Key: key(ws)})
		return err
	}
	_, err := c.client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &c.table, Item: item})
	return err
}

func key(ws string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"ws": str(ws), "sk": str("lock")}
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// attributes spells an item for the database; nil is none.
func attributes(ws string, item explore.Item) map[string]types.AttributeValue {
	if item.Attributes == nil {
		return nil
	}
	all := key(ws)
	for a, v := range item.Attributes {
		all[string(a)] = attribute(v)
	}
	return all
}

func attribute(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return str(v)
	case int64:
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
	}
	return &types.AttributeValueMemberBOOL{Value: true}
}

// changed is the item after Step's changes: those attributes that its effect
// names, the others as they were.
func changed(stored map[string]types.AttributeValue, ws string, out lockmodel.Outcome) map[string]types.AttributeValue {
	all := maps.Clone(stored)
	if all == nil {
		all = key(ws)
	}
	for _, c := range out.Rule.Effect.Changes() {
		if text, number, ok := out.Lock.Value(c.Attr); !ok {
			delete(all, string(c.Attr))
		} else if text != "" {
			all[string(c.Attr)] = str(text)
		} else {
			all[string(c.Attr)] = &types.AttributeValueMemberN{Value: strconv.FormatInt(number, 10)}
		}
	}
	return all
}

// readable spells attribute values for comparison and for people.
func readable(item map[string]types.AttributeValue) map[string]string {
	all := map[string]string{}
	for a, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			all[a] = strconv.Quote(v.Value)
		case *types.AttributeValueMemberN:
			all[a] = v.Value
		default:
			all[a] = fmt.Sprintf("%T", v)
		}
	}
	return all
}
