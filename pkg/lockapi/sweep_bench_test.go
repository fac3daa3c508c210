package lockapi_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// BenchmarkSweep sweeps a table of 100,000 locks, half of them held and leased,
// in which 20 leases have lapsed, and counts the requests to DynamoDB.
func BenchmarkSweep(b *testing.B) {
	const locks, lapsed = 100_000, 20
	db, api, clock := sweepable(b)
	num := func(n int64) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
	now := clock.Load()
	fill := func(first, count int, until int64) {
		for n := first; n < first+count; n += 25 {
			var writes []types.WriteRequest
			for i := n; i < min(n+25, first+count); i++ {
				item := map[string]types.AttributeValue{
					"ws": str(fmt.Sprintf("ws-%d", i)), "sk": str("lock"), "fence": num(1), "changed_at": num(now),
					"st": str("unlocked"), "holders": num(0),
				}
				if i%2 == 0 || until < now {
					item["st"], item["holders"], item["lock_id"], item["lease_until"] = str("held"), num(1), str(fmt.Sprint(i)), num(until)
				}
				writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			}
			if _, err := db.Client.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{db.Table: writes},
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	fill(lapsed, locks-lapsed, now+3_600_000)
	requests := 0
	for b.Loop() {
		b.StopTimer()
		fill(0, lapsed, now-1)
		db.Requests()
		b.StartTimer()
		swept, err := api.Sweep(b.Context())
		if err != nil || swept.Marked != lapsed {
			b.Fatal(swept, err)
		}
		requests = db.Requests()
	}
	b.ReportMetric(float64(requests), "requests/sweep")
}
