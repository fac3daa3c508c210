package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

func putRequest(it item) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: it.sdk()}}
}

func deleteRequest(k item) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k.sdk()}}
}

func batchWrite(t *testing.T, db *dynamodb.Client, requests ...types.WriteRequest) (*dynamodb.BatchWriteItemOutput, error) {
	t.Helper()
	return db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{tableName: requests},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
}

func TestBatchWrite(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "old"}, item{"pk": "p", "sk": "gone"})
	out, err := batchWrite(t, db,
		putRequest(item{"pk": "p", "sk": "old", "note": "new"}), putRequest(item{"pk": "p", "sk": "fresh"}),
		deleteRequest(key("p", "gone")), deleteRequest(key("p", "never")))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.UnprocessedItems) != 0 || *out.ConsumedCapacity[0].CapacityUnits != 4 {
		t.Errorf("answered %+v", out)
	}
	read, err := db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{tableName: {
			Keys:                 []attributes{key("p", "fresh").sdk(), key("p", "gone").sdk(), key("p", "old").sdk()},
			ProjectionExpression: aws.String("sk, note"),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]item{{"sk": "fresh"}, {"sk": "old", "note": "new"}}, plainAll(read.Responses[tableName])); diff != "" {
		t.Errorf("read back (-want +got)\n%s", diff)
	}
}

func TestRefusedBatches(t *testing.T) {
	t.Parallel()
	db := things(t)
	var many []types.WriteRequest
	for i := range 26 {
		many = append(many, putRequest(item{"pk": "p", "sk": fmt.Sprint(i)}))
	}
	tests := []struct {
		requests []types.WriteRequest
		want     string
	}{
		{many, "ValidationException: 1 validation error detected: Value '{things=[...]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: " +
			"[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"},
		{[]types.WriteRequest{}, "ValidationException: 1 validation error detected: Value '{things=[...]}' at 'requestItems'"},
		{[]types.WriteRequest{{}}, "ValidationException: Supplied AttributeValue is empty"},
		{[]types.WriteRequest{many[0], deleteRequest(key("p", "0"))}, "ValidationException: Provided list of item keys contains duplicates"},
		{[]types.WriteRequest{many[0], putRequest(item{"pk": "p"})}, "ValidationException: One or more parameter values were invalid: Missing the key sk in the item"},
		{[]types.WriteRequest{many[0], deleteRequest(item{"pk": "p"})}, "ValidationException: The provided key element does not match the schema"},
		{[]types.WriteRequest{many[0], putRequest(item{"pk": "p", "sk": "big", "x": strings.Repeat("x", 400<<10)})}, "ValidationException: Item size has exceeded the maximum allowed size"},
	}
	for _, test := range tests {
		_, err := batchWrite(t, db, test.requests...)
		if got := errorText(err); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s, want %s", got, test.want)
		}
		if got := get(t, db, key("p", "0")); got != nil {
			t.Fatalf("%s, but wrote %v", test.want, got)
		}
	}
}

func TestBatchGetLimits(t *testing.T) {
	t.Parallel()
	db := things(t)
	var all []attributes
	for i := range 50 {
		it := item{"pk": "p", "sk": fmt.Sprintf("%02d", i), "x": strings.Repeat("x", 390<<10)}
		put(t, db, it)
		all = append(all, key("p", it["sk"].(string)).sdk())
	}
	read := func(requests map[string]types.KeysAndAttributes) (*dynamodb.BatchGetItemOutput, error) {
		return db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: requests})
	}
	// Sixteen megabytes at a time; the rest comes back to be asked for again.
	var got []string
	rounds := 0
	for left := (map[string]types.KeysAndAttributes{tableName: {Keys: all}}); len(left) > 0; rounds++ {
		out, err := read(left)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range plainAll(out.Responses[tableName]) {
			got = append(got, it["sk"].(string))
		}
		left = out.UnprocessedKeys
	}
	slices.Sort(got)
	if rounds != 2 || len(slices.Compact(got)) != 50 {
		t.Errorf("%d items in %d rounds", len(got), rounds)
	}

	for want, keys := range map[string][]attributes{
		"ValidationException: Provided list of item keys contains duplicates":                {all[0], all[1], all[0]},
		"ValidationException: Too many items requested for the BatchGetItem call":            slices.Concat(all, all, all),
		"ValidationException: The provided key element does not match the schema":            {item{"pk": "p"}.sdk()},
		"ValidationException: The parameter cannot be converted to a numeric value: letters": {item{"pk": num("letters")}.sdk()},
	} {
		if _, err := read(map[string]types.KeysAndAttributes{tableName: {Keys: keys}}); errorText(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := read(map[string]types.KeysAndAttributes{"missing": {Keys: all[:1]}}); !strings.HasPrefix(errorText(err), "ResourceNotFoundException") {
		t.Errorf("of a missing table: %v", err)
	}
}
