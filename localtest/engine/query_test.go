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

	"github.com/statelock/statelock/localtest/engine"
)

// shelf is a small table to query: partition a has five items, b one.
func shelf(t *testing.T) *dynamodb.Client {
	t.Helper()
	return things(t,
		item{"pk": "a", "sk": "1", "state": "held", "weight": num("10"), "note": "x", "more": "y"},
		item{"pk": "a", "sk": "12", "state": "free", "weight": num("-2")},
		item{"pk": "a", "sk": "2", "state": "held", "weight": num("9")},
		item{"pk": "a", "sk": "2\x00", "state": "stale"},
		item{"pk": "a", "sk": "é"},
		item{"pk": "ab", "sk": "1", "state": "held", "weight": num("9.50")},
	)
}

// sorts are the sort keys of items, for short.
func sorts(items []attributes) string {
	var out []string
	for _, it := range plainAll(items) {
		out = append(out, fmt.Sprintf("%v/%v", it["pk"], it["sk"]))
	}
	return strings.Join(out, " ")
}

// query runs a query with the values :a to :c.
func query(t *testing.T, db *dynamodb.Client, index, condition string, values ...any) *dynamodb.QueryInput {
	t.Helper()
	in := &dynamodb.QueryInput{
		TableName:                aws.String(tableName),
		IndexName:                optional(index),
		KeyConditionExpression:   aws.String(condition),
		ExpressionAttributeNames: map[string]string{},
	}
	named := item{}
	for i, v := range values {
		named[":"+string(rune('a'+i))] = v
	}
	in.ExpressionAttributeValues = named.sdk()
	if strings.Contains(condition, "#state") {
		in.ExpressionAttributeNames["#state"] = "state"
	} else {
		in.ExpressionAttributeNames = nil
	}
	return in
}

func TestQuery(t *testing.T) {
	t.Parallel()
	db := shelf(t)
	tests := []struct {
		index, condition string
		values           []any
		want             string
	}{
		{"", "pk = :a", []any{"a"}, "a/1 a/12 a/2 a/2\x00 a/é"},
		{"", "pk = :a", []any{"ab"}, "ab/1"},
		{"", "pk = :a", []any{"abc"}, ""},
		{"", "pk = :a AND sk = :b", []any{"a", "2"}, "a/2"},
		{"", "pk = :a AND sk < :b", []any{"a", "2"}, "a/1 a/12"},
		{"", "pk = :a AND sk <= :b", []any{"a", "2"}, "a/1 a/12 a/2"},
		{"", "pk = :a AND sk > :b", []any{"a", "2"}, "a/2\x00 a/é"},
		{"", "pk = :a AND sk >= :b", []any{"a", "2"}, "a/2 a/2\x00 a/é"},
		{"", ":b >= sk AND :a = pk", []any{"a", "2"}, "a/1 a/12 a/2"},
		{"", "pk = :a AND sk BETWEEN :b AND :c", []any{"a", "10", "2"}, "a/12 a/2"},
		{"", "pk = :a AND begins_with(sk, :b)", []any{"a", "1"}, "a/1 a/12"},
		{"", "pk = :a AND begins_with(sk, :b)", []any{"a", "2\x00"}, "a/2\x00"},
		{"by-state", "#state = :a", []any{"held"}, "a/1 ab/1 a/2"},
		{"by-state", "#state = :a AND sk > :b", []any{"held", "1"}, "a/2"},
		{"by-weight", "weight = :a", []any{num("9.5")}, "ab/1"},
		{"by-weight", "weight = :a", []any{num("1e1")}, "a/1"},
		{"local", "pk = :a", []any{"a"}, "a/12 a/2 a/1"},
		{"local", "pk = :a AND weight > :b", []any{"a", num("-2")}, "a/2 a/1"},
		{"local", "pk = :a AND weight BETWEEN :b AND :c", []any{"a", num("-10"), num("9")}, "a/12 a/2"},
	}
	for _, test := range tests {
		in := query(t, db, test.index, test.condition, test.values...)
		out, err := db.Query(t.Context(), in)
		if err != nil {
			t.Errorf("%s %v: %v", test.condition, test.values, err)
			continue
		}
		if got := sorts(out.Items); got != test.want || out.LastEvaluatedKey != nil {
			t.Errorf("%s %s %v = %q, then %v, want %q", test.index, test.condition, test.values, got, out.LastEvaluatedKey, test.want)
		}
		// Backward is the same from the end, and so is one item at a time.
		in.ScanIndexForward = aws.Bool(false)
		back, err := db.Query(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(back.Items)
		if got := sorts(back.Items); got != test.want {
			t.Errorf("%s %v backward = %q, want %q", test.condition, test.values, got, test.want)
		}
		for _, forward := range []bool{true, false} {
			if got := pageByPage(t, db, in, forward); got != test.want {
				t.Errorf("%s %v by pages = %q, want %q", test.condition, test.values, got, test.want)
			}
		}
	}
}

// pageByPage reads a query one item at a time.
func pageByPage(t *testing.T, db *dynamodb.Client, in *dynamodb.QueryInput, forward bool) string {
	t.Helper()
	once := *in
	once.Limit, once.ScanIndexForward = aws.Int32(1), aws.Bool(forward)
	var all []attributes
	for pages := dynamodb.NewQueryPaginator(db, &once); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) > 1 {
			t.Fatalf("a page of %d items", len(page.Items))
		}
		all = append(all, page.Items...)
	}
	if !forward {
		slices.Reverse(all)
	}
	return sorts(all)
}

// What an index does not project is not there.
func TestIndexProjections(t *testing.T) {
	t.Parallel()
	db := shelf(t)
	read := func(index, condition string, value any, change func(*dynamodb.QueryInput)) item {
		in := query(t, db, index, condition, value)
		if change != nil {
			change(in)
		}
		out, err := db.Query(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return plain(out.Items[len(out.Items)-1])
	}
	whole := item{"pk": "a", "sk": "1", "state": "held", "weight": num("10"), "note": "x", "more": "y"}
	keysOnly := item{"pk": "a", "sk": "1", "weight": num("10")}
	included := item{"pk": "a", "sk": "1", "weight": num("10"), "note": "x"}
	all := func(in *dynamodb.QueryInput) { in.Select = types.SelectAllAttributes }
	more := func(in *dynamodb.QueryInput) { in.ProjectionExpression = aws.String("pk, more") }
	if got := read("by-weight", "weight = :a", num("10"), nil); !cmp.Equal(got, keysOnly) {
		t.Errorf("KEYS_ONLY gave %v", got)
	}
	if got := read("by-weight", "weight = :a", num("10"), more); !cmp.Equal(got, item{"pk": "a"}) {
		t.Errorf("KEYS_ONLY with a projection gave %v", got)
	}
	if got := read("local", "pk = :a", "a", nil); !cmp.Equal(got, included) {
		t.Errorf("INCLUDE gave %v", got)
	}
	if got := read("local", "pk = :a", "a", all); !cmp.Equal(got, whole) {
		t.Errorf("INCLUDE with all attributes gave %v", got)
	}
	if got := read("local", "pk = :a", "a", more); !cmp.Equal(got, item{"pk": "a", "more": "y"}) {
		t.Errorf("INCLUDE with a projection gave %v", got)
	}
}

// An item is in an index exactly as long as it has the index's key.
func TestIndexesFollowWrites(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "s", "state": "held"})
	held := func() string {
		out, err := db.Query(t.Context(), query(t, db, "by-state", "#state = :a", "held"))
		if err != nil {
			t.Fatal(err)
		}
		return sorts(out.Items)
	}
	update := func(expression string, values item) {
		t.Helper()
		_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String(tableName), Key: key("p", "s").sdk(), UpdateExpression: aws.String(expression),
			ExpressionAttributeNames: map[string]string{"#state": "state"}, ExpressionAttributeValues: values.sdk(),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := held(); got != "p/s" {
		t.Errorf("after put: %q", got)
	}
	update("SET #state = :v", item{":v": "free"})
	if got := held(); got != "" {
		t.Errorf("after a new key: %q", got)
	}
	update("SET #state = :v, note = :v", item{":v": "held"})
	if got := held(); got != "p/s" {
		t.Errorf("after the old key: %q", got)
	}
	update("REMOVE #state", nil)
	if got := held(); got != "" {
		t.Errorf("after no key: %q", got)
	}
	put(t, db, item{"pk": "p", "sk": "s", "state": "held"})
	if _, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: key("p", "s").sdk()}); err != nil {
		t.Fatal(err)
	}
	if got := held(); got != "" {
		t.Errorf("after delete: %q", got)
	}
}

func TestFilterSelectAndCounts(t *testing.T) {
	t.Parallel()
	db := shelf(t)
	in := query(t, db, "", "pk = :a", "a", num("0"))
	in.FilterExpression = aws.String("weight > :b")
	in.Limit = aws.Int32(2)
	out, err := db.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if sorts(out.Items) != "a/1" || out.Count != 1 || out.ScannedCount != 2 || out.LastEvaluatedKey == nil {
		t.Errorf("filtered page: %s, count %d of %d, then %v", sorts(out.Items), out.Count, out.ScannedCount, out.LastEvaluatedKey)
	}
	in.Limit, in.Select = nil, types.SelectCount
	out, err = db.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if out.Items != nil || out.Count != 2 || out.ScannedCount != 5 {
		t.Errorf("count only: %v, %d of %d", out.Items, out.Count, out.ScannedCount)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	db := shelf(t)
	scan := func(change func(*dynamodb.ScanInput)) []attributes {
		t.Helper()
		in := &dynamodb.ScanInput{TableName: aws.String(tableName)}
		if change != nil {
			change(in)
		}
		var all []attributes
		for pages := dynamodb.NewScanPaginator(db, in); pages.HasMorePages(); {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page.Items...)
		}
		slices.SortFunc(all, func(a, b attributes) int { return strings.Compare(sorts([]attributes{a}), sorts([]attributes{b})) })
		return all
	}
	const everyKey = "a/1 a/12 a/2 a/2\x00 a/é ab/1"
	if got := sorts(scan(nil)); got != everyKey {
		t.Errorf("scan = %q", got)
	}
	if got := sorts(scan(func(in *dynamodb.ScanInput) { in.Limit = aws.Int32(1) })); got != everyKey {
		t.Errorf("scan by pages = %q", got)
	}
	if got := sorts(scan(func(in *dynamodb.ScanInput) { in.IndexName = aws.String("by-state") })); got != "a/1 a/12 a/2 a/2\x00 ab/1" {
		t.Errorf("scan of an index = %q", got)
	}
	filtered := scan(func(in *dynamodb.ScanInput) {
		in.FilterExpression = aws.String("#state = :held AND pk <> :ab")
		in.ProjectionExpression = aws.String("pk, sk")
		in.ExpressionAttributeNames = map[string]string{"#state": "state"}
		in.ExpressionAttributeValues = item{":held": "held", ":ab": "ab"}.sdk()
	})
	if diff := cmp.Diff([]item{key("a", "1"), key("a", "2")}, plainAll(filtered)); diff != "" {
		t.Errorf("filtered scan (-want +got)\n%s", diff)
	}
	// The segments together are the table, and keep partitions whole.
	var parts []attributes
	for segment := range int32(3) {
		part := scan(func(in *dynamodb.ScanInput) {
			in.Segment, in.TotalSegments, in.Limit = aws.Int32(segment), aws.Int32(3), aws.Int32(2)
		})
		parts = append(parts, part...)
		if n := strings.Count(sorts(part), "a/"); n != 0 && n != 5 {
			t.Errorf("segment %d has %q", segment, sorts(part))
		}
	}
	slices.SortFunc(parts, func(a, b attributes) int { return strings.Compare(sorts([]attributes{a}), sorts([]attributes{b})) })
	if got := sorts(parts); got != everyKey {
		t.Errorf("scan by segments = %q", got)
	}
}

// A page ends after a megabyte of items.
func TestPageSize(t *testing.T) {
	t.Parallel()
	db := things(t)
	for i := range 7 {
		put(t, db, item{"pk": "p", "sk": fmt.Sprint(i), "x": strings.Repeat("x", 300<<10)})
	}
	var sizes []int
	for pages := dynamodb.NewQueryPaginator(db, query(t, db, "", "pk = :a", "p")); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.Items))
	}
	if !slices.Equal(sizes, []int{4, 3}) {
		t.Errorf("pages of %v items", sizes)
	}
}

func TestRefusedQueries(t *testing.T) {
	t.Parallel()
	e := engine.New()
	createThings(t, e.Client())
	const (
		table    = `"TableName":"things",`
		values   = `"ExpressionAttributeValues":{":a":{"S":"a"},":b":{"S":"b"}}`
		onlyA    = `"ExpressionAttributeValues":{":a":{"S":"a"}}`
		numberA  = `"ExpressionAttributeValues":{":a":{"N":"1"}}`
		ofA      = table + onlyA + `,"KeyConditionExpression":"pk = :a"`
		byWeight = table + numberA + `,"IndexName":"by-weight","KeyConditionExpression":"weight = :a"`
	)
	tests := []struct{ operation, body, want string }{
		{"Query", table + `"ScanIndexForward":true`, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."},
		{"Query", table + `"KeyConditions":{}`, "Legacy parameters are not supported, use expressions: {KeyConditions}"},
		{"Query", table + onlyA + `,"KeyConditionExpression":""`, "Invalid KeyConditionExpression: The expression can not be empty;"},
		{"Query", table + onlyA + `,"KeyConditionExpression":"sk = :a"`, "Query condition missed key schema element: pk"},
		{"Query", table + values + `,"KeyConditionExpression":"pk = :a AND note = :b"`, "Query condition missed key schema element: sk"},
		{"Query", table + onlyA + `,"KeyConditionExpression":"pk > :a"`, "Query key condition not supported"},
		{"Query", table + numberA + `,"KeyConditionExpression":"pk = :a"`, "One or more parameter values were invalid: Condition parameter type does not match schema type"},
		{"Query", table + values + `,"KeyConditionExpression":"pk = :a OR sk = :b"`, "Invalid operator used in KeyConditionExpression: OR"},
		{
			"Query", table + `"ExpressionAttributeValues":{":a":{"S":""}},"KeyConditionExpression":"pk = :a"`,
			"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
		},
		{"Query", ofA + `,"IndexName":"nope"`, "The table does not have the specified index: nope"},
		{"Query", byWeight + `,"ConsistentRead":true`, "Consistent reads are not supported on global secondary indexes"},
		{"Query", byWeight + `,"Select":"ALL_ATTRIBUTES"`, "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported " +
			"for global secondary index by-weight because its projection type is not ALL"},
		{"Query", ofA + `,"Limit":0`, "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"Query", ofA + `,"Select":"SOME"`, "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: " +
			"Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"},
		{"Query", ofA + `,"Select":"ALL_PROJECTED_ATTRIBUTES"`, "One or more parameter values were invalid: ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"},
		{"Query", ofA + `,"Select":"COUNT","ProjectionExpression":"pk"`, "Cannot specify the ProjectionExpression when choosing to get COUNT"},
		{"Query", ofA + `,"Select":"SPECIFIC_ATTRIBUTES"`, "Must specify the ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"},
		{"Query", ofA + `,"FilterExpression":"sk = :a"`, "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk"},
		{"Query", ofA + `,"FilterExpression":"#nope = :a"`, "Invalid FilterExpression: An expression attribute name used in the document path is not defined; attribute name: #nope"},
		{"Query", ofA + `,"ExclusiveStartKey":{"pk":{"S":"a"}}`, "The provided starting key is invalid"},
		{"Query", ofA + `,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"N":"1"}}`, "The provided starting key is invalid"},
		{"Query", ofA + `,"ExclusiveStartKey":{"pk":{"S":"b"},"sk":{"S":"1"}}`, "The provided starting key is outside query boundaries based on provided conditions"},
		{
			"Query", table + values + `,"KeyConditionExpression":"pk = :a AND sk > :b","ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"a"}}`,
			"The provided starting key does not match the range key predicate",
		},
		{
			"Query", table + values + `,"KeyConditionExpression":"pk = :a AND sk > :b","ExclusiveStartKey":{"pk":{"S":"b"},"sk":{"S":"c"}}`,
			"The provided starting key is outside query boundaries based on provided conditions",
		},
		{
			"Query", ofA + `,"FilterExpression":"weight.x = :a"`,
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: weight",
		},
		{"Query", byWeight + `,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"1"}}`, "The provided starting key is invalid"},

		{"Scan", table + `"Segment":1`, "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"},
		{"Scan", table + `"TotalSegments":1`, "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"},
		{"Scan", table + `"TotalSegments":2,"Segment":2`, "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2"},
		{"Scan", table + `"FilterExpression":"a = :nope"`, "Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute value: :nope"},
		{"Scan", table + `"ScanFilter":{}`, "Legacy parameters are not supported, use expressions: {ScanFilter}"},
		{"Scan", table + onlyA, "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"},
		{"Scan", table + `"ExclusiveStartKey":{"pk":{"S":"a"}}`, "The provided starting key is invalid"},
		{"Scan", table + `"IndexName":"by-state","ConsistentRead":true`, "Consistent reads are not supported on global secondary indexes"},
	}
	for _, test := range tests {
		status, body := post(t, e, test.operation, "{"+test.body+"}")
		if status != 400 || body["message"] != test.want {
			t.Errorf("%s %s\n got %d %v\nwant %s", test.operation, test.body, status, body["message"], test.want)
		}
	}
}
