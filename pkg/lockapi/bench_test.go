package lockapi_test

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// BenchmarkPair measures, in one run, an acquire and a release:
//
//   - handler: through the whole service;
//   - bare: the same two conditional UpdateItems, straight through the SDK, so
//     that handler/bare is what the service adds to its database requests;
//   - least: the smallest pair of conditional UpdateItems that could pass for a
//     lock, with no ledger, fence, identity or memory of requests.
func BenchmarkPair(b *testing.B) {
	db := testdb.Open(b)
	recorder := &recordUpdates{Client: db.Client}
	api := lockapi.New(ddbstore.New(recorder, ddbstore.Options{Table: db.Table}),
		lockapi.Options{Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	pair := func(yield func(target, body string) bool) {
		if yield("/v1/acquire", `{"ws":"prod","runner":"bench"}`) {
			yield("/v1/release", `{"ws":"prod"}`)
		}
	}
	through := func(b *testing.B) {
		for target, body := range pair {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, target, strings.NewReader(body))
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				b.Fatal(w.Code, w.Body)
			}
		}
	}
	through(b)
	recorded := recorder.seen
	recorder.seen = nil

	b.Run("handler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			through(b)
			recorder.seen = recorder.seen[:0]
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		later := &types.AttributeValueMemberN{Value: "9999999999999"}
		for b.Loop() {
			for _, in := range recorded {
				n++
				again := *in
				again.ExpressionAttributeValues = maps.Clone(in.ExpressionAttributeValues)
				for name, value := range map[string]types.AttributeValue{
					":id": str(strconv.Itoa(n)), ":req": str("bench/" + strconv.Itoa(n)), ":now": later, ":fresh": later,
				} {
					if _, ok := in.ExpressionAttributeValues[name]; ok {
						again.ExpressionAttributeValues[name] = value
					}
				}
				if _, err := db.Client.UpdateItem(b.Context(), &again); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("least", func(b *testing.B) {
		b.ReportAllocs()
		least := func(condition, from, to string) {
			_, err := db.Client.UpdateItem(b.Context(), &dynamodb.UpdateItemInput{
				TableName:                 &db.Table,
				Key:                       map[string]types.AttributeValue{"ws": str("least"), "sk": str("lock")},
				ConditionExpression:       &condition,
				UpdateExpression:          aws.String("SET st = :to"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":from": str(from), ":to": str(to)},
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			least("attribute_not_exists(ws) OR st = :from", "unlocked", "held")
			least("st = :from", "held", "unlocked")
		}
	})
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// recordUpdates keeps the UpdateItems that the store sends.
type recordUpdates struct {
	ddbstore.Client
	seen []*dynamodb.UpdateItemInput
}

func (c *recordUpdates) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	c.seen = append(c.seen, in)
	return c.Client.UpdateItem(ctx, in, o...)
}
