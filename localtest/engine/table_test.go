package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine"
)

func TestTableLifecycle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := things(t, item{"pk": "p", "sk": "1", "state": "held", "weight": num("1")}, item{"pk": "p", "sk": "2"})
	describe := &dynamodb.DescribeTableInput{TableName: aws.String(tableName)}
	if err := dynamodb.NewTableExistsWaiter(db).Wait(ctx, describe, time.Minute); err != nil {
		t.Fatal(err)
	}
	out, err := db.DescribeTable(ctx, describe)
	if err != nil {
		t.Fatal(err)
	}
	table := out.Table
	if table.TableStatus != types.TableStatusActive || *table.ItemCount != 2 || *table.TableSizeBytes <= 0 ||
		!strings.HasSuffix(*table.TableArn, ":table/things") || table.BillingModeSummary.BillingMode != types.BillingModePayPerRequest ||
		time.Since(*table.CreationDateTime) > time.Hour {
		t.Errorf("described as %+v", table)
	}
	var indexes []string
	for _, x := range table.GlobalSecondaryIndexes {
		indexes = append(indexes, fmt.Sprintf("%s %s %d", *x.IndexName, x.IndexStatus, *x.ItemCount))
	}
	for _, x := range table.LocalSecondaryIndexes {
		indexes = append(indexes, fmt.Sprintf("%s %d", *x.IndexName, *x.ItemCount))
	}
	if want := []string{"by-state ACTIVE 1", "by-weight ACTIVE 1", "local 1"}; !slices.Equal(indexes, want) {
		t.Errorf("indexes %q, want %q", indexes, want)
	}

	_, err = db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: define("id:S"), KeySchema: keys("id"),
	})
	if got := errorText(err); got != "ResourceInUseException: Table already exists: things" {
		t.Errorf("created twice: %s", got)
	}

	if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(tableName)}); err != nil {
		t.Fatal(err)
	}
	if err := dynamodb.NewTableNotExistsWaiter(db).Wait(ctx, describe, time.Minute); err != nil {
		t.Fatal(err)
	}
	createThings(t, db)
	if got := get(t, db, key("p", "1")); got != nil {
		t.Errorf("a new table of the same name has %v", got)
	}
}

// Tables can be named by ARN, as anywhere in the API.
func TestTableByARN(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "s"})
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("arn:aws:dynamodb:us-east-1:000000000000:table/things"),
		Key:       key("p", "s").sdk(),
	})
	if err != nil || out.Item == nil {
		t.Errorf("%v, %v", out, err)
	}
}

func TestProvisionedTable(t *testing.T) {
	t.Parallel()
	db := engine.New().Client()
	out, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("provisioned"), AttributeDefinitions: define("id:B"), KeySchema: keys("id"),
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(5), WriteCapacityUnits: aws.Int64(6)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := out.TableDescription.ProvisionedThroughput; *p.ReadCapacityUnits != 5 || *p.WriteCapacityUnits != 6 {
		t.Errorf("throughput %+v", p)
	}
}

func TestListTables(t *testing.T) {
	t.Parallel()
	db := engine.New().Client()
	var want []string
	for i := range 7 {
		want = append(want, fmt.Sprintf("table-%d", i))
		_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
			TableName: aws.String(want[i]), BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: define("id:S"), KeySchema: keys("id"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []*int32{nil, aws.Int32(3), aws.Int32(7)} {
		var got []string
		for pages := dynamodb.NewListTablesPaginator(db, &dynamodb.ListTablesInput{Limit: limit}); pages.HasMorePages(); {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page.TableNames...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("listed %q", got)
		}
	}
}

func TestRefusedTables(t *testing.T) {
	t.Parallel()
	e := engine.New()
	const (
		def      = `"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"}]`
		onlyA    = `"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}]`
		keyA     = `,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]`
		keyAB    = `,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}]`
		onDemand = `,"BillingMode":"PAY_PER_REQUEST"`
		all      = `"Projection":{"ProjectionType":"ALL"}`
		invalid  = "One or more parameter values were invalid: "
	)
	tests := []struct{ body, want string }{
		{`"TableName":"t",` + onlyA + keyA + onDemand, "1 validation error detected: Value 't' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3"},
		{`"TableName":"` + strings.Repeat("t", 256) + `",` + onlyA + keyA + onDemand, "1 validation error detected: Value '" + strings.Repeat("t", 256) +
			"' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255"},
		{onlyA + keyA, invalid + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
		{
			onlyA + keyA + onDemand + `,"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}`,
			invalid + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
		},
		{onlyA + onDemand, "1 validation error detected: Value null at 'keySchema' failed to satisfy constraint: Member must not be null"},
		{`"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]` + onDemand, "1 validation error detected: Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be null"},
		{onlyA + keyAB + onDemand, invalid + "Some index key attributes are not defined in AttributeDefinitions. Keys: [a, b], AttributeDefinitions: [a]"},
		{def + keyA + onDemand, invalid + "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"},
		{onlyA + `,"KeySchema":[{"AttributeName":"a","KeyType":"RANGE"}]` + onDemand, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
		{def + `,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"HASH"}]` + onDemand, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
		{onlyA + `,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}]` + onDemand, "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
		{def + keyA + onDemand + `,"GlobalSecondaryIndexes":[]`, invalid + "List of GlobalSecondaryIndexes is empty"},
		{
			def + keyA + onDemand + `,"GlobalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],` + all + `},{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],` + all + `}]`,
			invalid + "Duplicate index name: one",
		},
		{def + keyA + onDemand + `,"GlobalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],"Projection":{}}]`, invalid + "Unknown ProjectionType: null"},
		{
			def + keyA + onDemand + `,"GlobalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL","NonKeyAttributes":["c"]}}]`,
			invalid + "ProjectionType is ALL, but NonKeyAttributes is specified",
		},
		{
			def + keyA + onDemand + `,"GlobalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],` + all + `,"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}]`,
			invalid + "ProvisionedThroughput should not be specified for index: one when BillingMode is PAY_PER_REQUEST",
		},
		{
			def + keyA + onDemand + `,"LocalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],` + all + `}]`,
			invalid + "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
		},
		{
			def + keyAB + onDemand + `,"LocalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"b","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}],` + all + `}]`,
			invalid + "Index KeySchema does not have the same leading hash key as table KeySchema for index: one. index hash key: b, table hash key: a",
		},
	}
	for _, test := range tests {
		body := test.body
		if !strings.Contains(body, "TableName") {
			body = `"TableName":"refused",` + body
		}
		status, answer := post(t, e, "CreateTable", "{"+body+"}")
		if status != 400 || answer["message"] != test.want {
			t.Errorf("%s\n got %d %v\nwant %s", body, status, answer["message"], test.want)
		}
	}
	if _, answer := post(t, e, "ListTables", "{}"); fmt.Sprint(answer["TableNames"]) != "[]" {
		t.Errorf("there are tables: %v", answer)
	}
}

func TestDeletionProtection(t *testing.T) {
	t.Parallel()
	db := engine.New().Client()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("guarded"), BillingMode: types.BillingModePayPerRequest, DeletionProtectionEnabled: aws.Bool(true),
		AttributeDefinitions: define("id:S"), KeySchema: keys("id"),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("guarded")})
	if !strings.HasPrefix(errorText(err), "ValidationException: Resource cannot be deleted") {
		t.Errorf("deleted: %v", err)
	}
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := engine.New()
	db := e.Client()
	createThings(t, db)
	set := func(attribute string, enabled bool) error {
		_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               aws.String(tableName),
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(attribute), Enabled: aws.Bool(enabled)},
		})
		return err
	}
	status := func() string {
		out, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(tableName)})
		if err != nil {
			t.Fatal(err)
		}
		return string(out.TimeToLiveDescription.TimeToLiveStatus) + " " + aws.ToString(out.TimeToLiveDescription.AttributeName)
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(offset time.Duration) num { return num(fmt.Sprint(now.Add(offset).Unix())) }
	put(t, db,
		item{"pk": "p", "sk": "past", "expires": at(-time.Second), "state": "held"},
		item{"pk": "p", "sk": "future", "expires": at(time.Hour)},
		item{"pk": "p", "sk": "text", "expires": "0"},
		item{"pk": "p", "sk": "long past", "expires": num("1")},
		item{"pk": "p", "sk": "forever"},
	)
	sweep := func() int {
		n, err := e.SweepExpired(now)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}

	if got := status(); got != "DISABLED " || sweep() != 0 {
		t.Errorf("at first %s", got)
	}
	if err := set("expires", true); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != "ENABLED expires" {
		t.Errorf("enabled: %s", got)
	}
	if got := errorText(set("expires", true)); got != "ValidationException: TimeToLive is already enabled" {
		t.Errorf("enabled twice: %s", got)
	}
	if got := errorText(set("else", true)); got != "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is expires" {
		t.Errorf("enabled for another attribute: %s", got)
	}

	if got := get(t, db, key("p", "past")); got == nil {
		t.Error("the item went before the sweep")
	}
	if got := sweep(); got != 1 {
		t.Errorf("swept %d items", got)
	}
	out, err := db.Query(ctx, query(t, db, "", "pk = :a", "p"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("p/forever p/future p/long past p/text", sorts(out.Items)); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	if out, err := db.Query(ctx, query(t, db, "by-state", "#state = :a", "held")); err != nil || out.Count != 0 {
		t.Errorf("the index has %v, %v", out.Items, err)
	}

	if err := set("expires", false); err != nil {
		t.Fatal(err)
	}
	if got := errorText(set("expires", false)); got != "ValidationException: TimeToLive is already disabled" {
		t.Errorf("disabled twice: %s", got)
	}
	if got := status(); got != "DISABLED " {
		t.Errorf("disabled: %s", got)
	}
}
