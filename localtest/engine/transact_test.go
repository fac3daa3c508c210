package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine"
)

func transact(t *testing.T, db *dynamodb.Client, token string, items ...types.TransactWriteItem) error {
	t.Helper()
	in := &dynamodb.TransactWriteItemsInput{TransactItems: items}
	if token != "" {
		in.ClientRequestToken = aws.String(token)
	}
	_, err := db.TransactWriteItems(t.Context(), in)
	return err
}

func transactPut(it item, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: aws.String(tableName), Item: it.sdk(), ConditionExpression: optional(condition),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

func transactUpdate(k item, update string, values item) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(tableName), Key: k.sdk(), UpdateExpression: aws.String(update), ExpressionAttributeValues: values.sdk(),
	}}
}

func transactDelete(k item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(tableName), Key: k.sdk()}}
}

func transactCheck(k item, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String(tableName), Key: k.sdk(), ConditionExpression: aws.String(condition),
	}}
}

func TestTransactWrite(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "count", "n": num("1")}, item{"pk": "p", "sk": "gone"}, item{"pk": "p", "sk": "lock", "st": "held"})
	err := transact(t, db, "",
		transactPut(item{"pk": "p", "sk": "fresh"}, "attribute_not_exists(pk)"),
		transactUpdate(key("p", "count"), "ADD n :one", item{":one": num("1")}),
		transactDelete(key("p", "gone")),
		transactCheck(key("p", "lock"), "attribute_exists(st)"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "fresh").sdk()}},
		{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "count").sdk(), ProjectionExpression: aws.String("n")}},
		{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "gone").sdk()}},
		{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "lock").sdk()}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []item
	for _, r := range out.Responses {
		got = append(got, plain(r.Item))
	}
	want := []item{key("p", "fresh"), {"n": num("2")}, nil, {"pk": "p", "sk": "lock", "st": "held"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("afterwards (-want +got)\n%s", diff)
	}
}

// If one item can't be written none is, and the reasons stand where the items
// stood.
func TestTransactionCanceled(t *testing.T) {
	t.Parallel()
	stored := item{"pk": "p", "sk": "lock", "st": "held"}
	db := things(t, stored)
	fresh := transactPut(item{"pk": "p", "sk": "fresh"}, "")
	tests := []struct {
		item types.TransactWriteItem
		want string // the second item's reason
	}{
		{transactPut(key("p", "lock"), "attribute_not_exists(pk)"), "ConditionalCheckFailed: The conditional request failed: map[pk:p sk:lock st:held]"},
		{transactCheck(key("p", "lock"), "attribute_exists(nope)"), "ConditionalCheckFailed: The conditional request failed: map[]"},
		{transactUpdate(key("p", "lock"), "ADD st :v", item{":v": num("1")}), "ValidationError: An operand in the update expression has an incorrect data type: map[]"},
		{transactUpdate(key("p", "lock"), "SET x = :v", item{":v": strings.Repeat("x", 400<<10)}), "ValidationError: Item size to update has exceeded the maximum allowed size: map[]"},
		{transactUpdate(key("p", "lock"), "SET weight = :v", item{":v": "x"}), "ValidationError: One or more parameter values were invalid: " +
			"Type mismatch for Index Key weight Expected: N Actual: S IndexName: by-weight: map[]"},
		{transactDelete(item{"pk": "p"}), "ValidationError: The provided key element does not match the schema: map[]"},
		{transactPut(item{"pk": "p", "sk": num("1")}, ""), "ValidationError: One or more parameter values were invalid: Type mismatch for key sk expected: S actual: N: map[]"},
	}
	for _, test := range tests {
		err := transact(t, db, "", fresh, test.item)
		canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		reasons := canceled.CancellationReasons
		got := fmt.Sprintf("%s: %s: %v", *reasons[1].Code, aws.ToString(reasons[1].Message), map[string]any(plain(reasons[1].Item)))
		if len(reasons) != 2 || *reasons[0].Code != "None" || got != test.want {
			t.Errorf("reasons %v, %s\nwant %s", *reasons[0].Code, got, test.want)
		}
		code, _, _ := strings.Cut(test.want, ":")
		if want := "Transaction cancelled, please refer cancellation reasons for specific reasons [None, " + code + "]"; canceled.ErrorMessage() != want {
			t.Errorf("message %q, want %q", canceled.ErrorMessage(), want)
		}
		if get(t, db, key("p", "fresh")) != nil || !cmp.Equal(get(t, db, key("p", "lock")), stored) {
			t.Fatalf("%s, but something was written", test.want)
		}
	}
}

// Faults that the service finds before a transaction begins.
func TestRefusedTransactions(t *testing.T) {
	t.Parallel()
	db := things(t)
	var many []types.TransactWriteItem
	for i := range 101 {
		many = append(many, transactPut(item{"pk": "p", "sk": fmt.Sprint(i)}, ""))
	}
	var large []types.TransactWriteItem
	for i := range 12 {
		large = append(large, transactPut(item{"pk": "p", "sk": fmt.Sprint(i), "x": strings.Repeat("x", 350_000)}, ""))
	}
	elsewhere := transactDelete(key("p", "s"))
	elsewhere.Delete.TableName = aws.String("missing")
	both := many[0]
	both.Delete = transactDelete(key("p", "s")).Delete
	tests := []struct {
		items []types.TransactWriteItem
		want  string
	}{
		{[]types.TransactWriteItem{}, "ValidationException: 1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1"},
		{many, "ValidationException: 1 validation error detected: Value '[...]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"},
		{[]types.TransactWriteItem{many[0], transactDelete(key("p", "0"))}, "ValidationException: Transaction request cannot include multiple operations on one item"},
		{[]types.TransactWriteItem{both}, "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete"},
		{[]types.TransactWriteItem{{}}, "ValidationException: Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"},
		{[]types.TransactWriteItem{many[0], elsewhere}, "ResourceNotFoundException: Requested resource not found"},
		{[]types.TransactWriteItem{transactPut(item{"pk": "p", "sk": "s", "x": strings.Repeat("x", 400<<10)}, "")}, "ValidationException: Item size has exceeded the maximum allowed size"},
		{large, "ValidationException: The aggregate size of the items in the transaction exceeds the limit of 4 MB"},
		{[]types.TransactWriteItem{transactDelete(key("p", ""))}, "ValidationException: One or more parameter values are not valid. " +
			"The AttributeValue for a key attribute cannot contain an empty string value. Key: sk"},
		{[]types.TransactWriteItem{transactPut(item{"pk": "p", "sk": "s", "state": ""}, "")}, "ValidationException: One or more parameter values are not valid. " +
			"A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. " +
			"IndexName: by-state, IndexKey: state"},
		{[]types.TransactWriteItem{transactCheck(key("p", "s"), "a =")}, `ValidationException: Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="`},
		{[]types.TransactWriteItem{transactUpdate(key("p", "s"), "SET sk = :v", item{":v": "x"}), many[0]}, "TransactionCanceledException: Transaction cancelled, " +
			"please refer cancellation reasons for specific reasons [ValidationError, None]"},
	}
	for _, test := range tests {
		if got := errorText(transact(t, db, "", test.items...)); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
		if got := get(t, db, key("p", "0")); got != nil {
			t.Fatalf("%s, but wrote %.60v", test.want, got)
		}
	}
}

// A transaction that is repeated with its token is done once, for ten minutes.
func TestTransactionToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := things(t)
		count := func() any {
			return get(t, db, key("p", "count"))["n"]
		}
		add := func(token, by string) error {
			return transact(t, db, token, transactUpdate(key("p", "count"), "ADD n :by", item{":by": num(by)}))
		}
		for range 3 {
			if err := add("token", "1"); err != nil {
				t.Fatal(err)
			}
		}
		if got := count(); got != num("1") {
			t.Errorf("three times the same transaction: %v", got)
		}
		if got := errorText(add("token", "2")); !strings.HasPrefix(got, "IdempotentParameterMismatchException") {
			t.Errorf("the token with another transaction: %s", got)
		}
		if err := add("another", "1"); err != nil || count() != num("2") {
			t.Errorf("another token: %v, %v", count(), err)
		}
		time.Sleep(10*time.Minute - time.Second)
		if err := add("token", "1"); err != nil || count() != num("2") {
			t.Errorf("just before ten minutes: %v, %v", count(), err)
		}
		time.Sleep(time.Second)
		if err := add("token", "1"); err != nil || count() != num("3") {
			t.Errorf("after ten minutes: %v, %v", count(), err)
		}
	})
}

// A transaction that was cancelled is tried again when its token comes back.
func TestCanceledTransactionIsNotRemembered(t *testing.T) {
	t.Parallel()
	db := things(t)
	write := transactPut(item{"pk": "p", "sk": "s"}, "")
	check := transactCheck(key("p", "gate"), "attribute_exists(pk)")
	if err := transact(t, db, "token", write, check); err == nil {
		t.Fatal("no error")
	}
	put(t, db, key("p", "gate"))
	if err := transact(t, db, "token", write, check); err != nil || get(t, db, key("p", "s")) == nil {
		t.Errorf("tried again: %v", err)
	}
}

// The token goes by what a request says, not by how its JSON is written.
func TestTokenIgnoresJSONOrder(t *testing.T) {
	t.Parallel()
	e := engine.New()
	createThings(t, e.Client())
	for _, put := range []string{
		`{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}`,
		`{"Item": {"sk":{"S":"\u0073"}, "pk":{"S":"p"}}, "TableName":"things"}`,
	} {
		if status, body := post(t, e, "TransactWriteItems", `{"ClientRequestToken":"t","TransactItems":[{"Put":`+put+`}]}`); status != 200 {
			t.Errorf("%d %v", status, body)
		}
	}
}

func TestRefusedTransactGets(t *testing.T) {
	t.Parallel()
	e := engine.New()
	createThings(t, e.Client())
	const good = `{"Get":{"TableName":"things","Key":{"pk":{"S":"p"},"sk":{"S":"s"}}}}`
	for body, want := range map[string]string{
		`[]`:                "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
		`[` + good + `,{}]`: "1 validation error detected: Value null at 'transactItems.member.get' failed to satisfy constraint: Member must not be null",
		`[` + good + `,{"Get":{"TableName":"things","Key":{"pk":{"S":"p"}}}}]`:   "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]",
		`[{"Get":{"TableName":"missing","Key":{"pk":{"S":"p"}}}}]`:               "Requested resource not found",
		`[{"Get":{"TableName":"things","Key":{},"ProjectionExpression":"ttl"}}]`: "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: ttl",
	} {
		if status, got := post(t, e, "TransactGetItems", `{"TransactItems":`+body+`}`); status != 400 || got["message"] != want {
			t.Errorf("%s\n got %d %v\nwant %s", body, status, got, want)
		}
	}
}
