package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine"
)

// everything has an attribute of each type.
var everything = item{
	"pk": "p", "sk": "s", "s": "text é\n\"", "empty": "", "n": num("12.5"), "b": []byte{0, 255}, "t": true, "z": nil,
	"l": []any{"x", num("1"), []any{}}, "m": item{"k": item{}}, "ss": stringSet{"a", "b"}, "ns": numberSet{"1", "2.5"},
	"bs": binarySet{{1}, {2}},
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	db := things(t, everything)
	if diff := cmp.Diff(everything, get(t, db, key("p", "s"))); diff != "" {
		t.Errorf("read back (-want +got)\n%s", diff)
	}
	if got := get(t, db, key("p", "other")); got != nil {
		t.Errorf("an item that is not there is %v", got)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName:                aws.String(tableName),
		Key:                      key("p", "s").sdk(),
		ProjectionExpression:     aws.String("s, #m.k, l[1], nope"),
		ExpressionAttributeNames: map[string]string{"#m": "m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := item{"s": everything["s"], "m": item{"k": item{}}, "l": []any{num("1")}}
	if diff := cmp.Diff(want, plain(out.Item)); diff != "" {
		t.Errorf("projection (-want +got)\n%s", diff)
	}
}

func TestPutReplacesTheItem(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "s", "a": "1", "b": "2"})
	out, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName:    aws.String(tableName),
		Item:         item{"pk": "p", "sk": "s", "b": "3"}.sdk(),
		ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(item{"pk": "p", "sk": "s", "a": "1", "b": "2"}, plain(out.Attributes)); diff != "" {
		t.Errorf("ALL_OLD (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(item{"pk": "p", "sk": "s", "b": "3"}, get(t, db, key("p", "s"))); diff != "" {
		t.Errorf("stored (-want +got)\n%s", diff)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	old := item{"pk": "p", "sk": "s", "state": "held"}
	db := things(t, old)
	remove := func(condition string) (item, error) {
		out, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName:           aws.String(tableName),
			Key:                 key("p", "s").sdk(),
			ConditionExpression: optional(condition),
			ReturnValues:        types.ReturnValueAllOld,
		})
		if err != nil {
			return nil, err
		}
		return plain(out.Attributes), nil
	}
	if _, err := remove("attribute_exists(nope)"); !strings.HasPrefix(errorText(err), "ConditionalCheckFailedException") {
		t.Errorf("failed condition: %v", err)
	}
	if got := get(t, db, key("p", "s")); !cmp.Equal(got, old) {
		t.Errorf("after a failed condition: %v", got)
	}
	if got, err := remove(""); err != nil || !cmp.Equal(got, old) {
		t.Errorf("delete = %v, %v", got, err)
	}
	if got, err := remove(""); err != nil || got != nil {
		t.Errorf("delete of nothing = %v, %v", got, err)
	}
	if _, err := remove("attribute_exists(pk)"); err == nil {
		t.Error("delete of nothing on condition that it exists: no error")
	}
}

func TestUpdateReturnValues(t *testing.T) {
	t.Parallel()
	before := item{"pk": "p", "sk": "s", "a": num("1"), "b": "x", "m": item{"k": "v", "l": "w"}, "gone": true}
	after := item{"pk": "p", "sk": "s", "a": num("2"), "b": "x", "m": item{"k": num("1"), "l": "w"}, "fresh": num("1")}
	tests := []struct {
		returns types.ReturnValue
		want    item
	}{
		{types.ReturnValueNone, nil},
		{types.ReturnValueAllOld, before},
		{types.ReturnValueAllNew, after},
		{types.ReturnValueUpdatedOld, item{"a": num("1"), "m": item{"k": "v"}, "gone": true}},
		{types.ReturnValueUpdatedNew, item{"a": num("2"), "m": item{"k": num("1")}, "fresh": num("1")}},
	}
	for _, test := range tests {
		db := things(t, before)
		out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName:                 aws.String(tableName),
			Key:                       key("p", "s").sdk(),
			UpdateExpression:          aws.String("SET m.k = :one ADD a :one, fresh :one REMOVE gone, ghost"),
			ExpressionAttributeValues: item{":one": num("1")}.sdk(),
			ReturnValues:              test.returns,
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, plain(out.Attributes)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.returns, diff)
		}
		if diff := cmp.Diff(after, get(t, db, key("p", "s"))); diff != "" {
			t.Errorf("stored (-want +got)\n%s", diff)
		}
	}
}

func TestUpdateOfAnAbsentItem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		update, condition string
		want              item // what is stored afterwards
		err               string
	}{
		{"SET a = :v", "", item{"pk": "p", "sk": "s", "a": num("1")}, ""},
		{"ADD a :v", "attribute_not_exists(pk)", item{"pk": "p", "sk": "s", "a": num("1")}, ""},
		{"", "", item{"pk": "p", "sk": "s"}, ""},
		{"REMOVE a, b.c", "", nil, ""},
		{"SET a = if_not_exists(a, :v) + :v", "a <> :v", item{"pk": "p", "sk": "s", "a": num("2")}, ""},
		{"SET a = :v", "attribute_exists(pk)", nil, "ConditionalCheckFailedException: The conditional request failed"},
		{"SET a = :v", "a = :v", nil, "ConditionalCheckFailedException: The conditional request failed"},
		{"SET a = b", "", nil, "ValidationException: The provided expression refers to an attribute that does not exist in the item"},
		{"SET a.b = :v", "", nil, "ValidationException: The document path provided in the update expression is invalid for update"},
	}
	for _, test := range tests {
		db := things(t)
		var values attributes
		if strings.Contains(test.update+test.condition, ":v") {
			values = item{":v": num("1")}.sdk()
		}
		_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName:                 aws.String(tableName),
			Key:                       key("p", "s").sdk(),
			UpdateExpression:          optional(test.update),
			ConditionExpression:       optional(test.condition),
			ExpressionAttributeValues: values,
		})
		if got := errorText(err); got != test.err {
			t.Errorf("%s if %s: error %q, want %q", test.update, test.condition, got, test.err)
		}
		if diff := cmp.Diff(test.want, get(t, db, key("p", "s"))); diff != "" {
			t.Errorf("%s if %s: stored (-want +got)\n%s", test.update, test.condition, diff)
		}
	}
}

// A failed condition gives the item that failed it, when asked, and changes
// nothing.
func TestFailedConditionReturnsTheItem(t *testing.T) {
	t.Parallel()
	stored := item{"pk": "p", "sk": "s", "st": "held", "holder": "ci-runner-7", "fence": num("7")}
	db := things(t, stored)
	ctx := t.Context()
	condition, values := aws.String("st <> :held"), item{":held": "held"}.sdk()
	requests := map[string]func(types.ReturnValuesOnConditionCheckFailure) error{
		"UpdateItem": func(wants types.ReturnValuesOnConditionCheckFailure) error {
			_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: aws.String(tableName), Key: key("p", "s").sdk(), UpdateExpression: aws.String("SET st = :held"),
				ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: wants,
			})
			return err
		},
		"PutItem": func(wants types.ReturnValuesOnConditionCheckFailure) error {
			_, err := db.PutItem(ctx, &dynamodb.PutItemInput{
				TableName: aws.String(tableName), Item: key("p", "s").sdk(),
				ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: wants,
			})
			return err
		},
		"DeleteItem": func(wants types.ReturnValuesOnConditionCheckFailure) error {
			_, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: aws.String(tableName), Key: key("p", "s").sdk(),
				ConditionExpression: condition, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: wants,
			})
			return err
		},
	}
	for operation, request := range requests {
		for wants, want := range map[types.ReturnValuesOnConditionCheckFailure]item{"": nil, "NONE": nil, "ALL_OLD": stored} {
			err := request(wants)
			failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
			if !ok {
				t.Fatalf("%s: %v", operation, err)
			}
			if diff := cmp.Diff(want, plain(failed.Item)); diff != "" {
				t.Errorf("%s with %q returned (-want +got)\n%s", operation, wants, diff)
			}
			if got := get(t, db, key("p", "s")); !cmp.Equal(got, stored) {
				t.Errorf("%s changed the item to %v", operation, got)
			}
		}
	}
}

// Whatever is wrong with a write is found before anything is written.
func TestRefusedUpdatesWriteNothing(t *testing.T) {
	t.Parallel()
	stored := item{"pk": "p", "sk": "s", "a": "text", "n": num("9.9e125"), "big": strings.Repeat("x", 300_000)}
	db := things(t, stored)
	want := get(t, db, key("p", "s"))
	deep := any("leaf")
	for range 31 {
		deep = []any{deep}
	}
	for _, test := range []struct {
		update string
		value  any
		err    string
	}{
		{"SET ok = :v ADD a :v", num("1"), "An operand in the update expression has an incorrect data type"},
		{"SET ok = a + :v", num("1"), "An operand in the update expression has an incorrect data type"},
		{"SET ok = n + :v", num("9.9e125"), "Number overflow."},
		{"SET ok = nope, b = :v", num("1"), "The provided expression refers to an attribute that does not exist in the item"},
		{"SET ok = :v, sk = :v", "x", "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key"},
		{"REMOVE pk SET ok = :v", "x", "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"},
		{"SET pk.x = :v", "x", "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key"},
		{"SET weight = :v", "x", "One or more parameter values were invalid: Type mismatch for Index Key weight Expected: N Actual: S IndexName: by-weight"},
		{"SET #state = :v", "", "One or more parameter values are not valid. The update expression attempted to update a secondary index key " +
			"to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value."},
		{"SET ok = :v", strings.Repeat("x", 110_000), "Item size to update has exceeded the maximum allowed size"},
		{"SET ok = :v, more = :v", strings.Repeat("x", 60_000), "Item size to update has exceeded the maximum allowed size"},
		{"SET ok = :v", num("1e126"), "ExpressionAttributeValues contains invalid value: Number overflow."},
		{"SET ok = :v", []any{deep}, "ExpressionAttributeValues contains invalid value: Nesting Levels have exceeded supported limits"},
	} {
		var names map[string]string
		if strings.Contains(test.update, "#") {
			names = map[string]string{"#state": "state"}
		}
		_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName:                 aws.String(tableName),
			Key:                       key("p", "s").sdk(),
			UpdateExpression:          aws.String(test.update),
			ExpressionAttributeNames:  names,
			ExpressionAttributeValues: item{":v": test.value}.sdk(),
		})
		if got := errorText(err); !strings.HasPrefix(got, "ValidationException: "+test.err) {
			t.Errorf("%s: error %q, want %q", test.update, got, test.err)
		}
		if diff := cmp.Diff(want, get(t, db, key("p", "s"))); diff != "" {
			t.Errorf("%s changed the item", test.update)
		}
	}
	// The nesting that is just right.
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "deep").sdk(),
		UpdateExpression: aws.String("SET ok = :v"), ExpressionAttributeValues: item{":v": deep}.sdk(),
	})
	if err != nil {
		t.Errorf("32 levels: %v", err)
	}
	// An update can nest too deep though each of its values does not.
	_, err = db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "deep").sdk(),
		UpdateExpression: aws.String("SET ok[0][0] = :v"), ExpressionAttributeValues: item{":v": deep}.sdk(),
	})
	if !strings.Contains(errorText(err), "Nesting Levels") {
		t.Errorf("33 levels: %v", err)
	}
}

func TestItemSizeLimit(t *testing.T) {
	t.Parallel()
	db := things(t)
	// The names pk, sk and x and the keys p and s make seven bytes.
	write := func(size int) error {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String(tableName),
			Item:      item{"pk": "p", "sk": "s", "x": strings.Repeat("x", size-7)}.sdk(),
		})
		return err
	}
	if err := write(400 << 10); err != nil {
		t.Errorf("an item of 400 KB: %v", err)
	}
	if got := errorText(write(400<<10 + 1)); got != "ValidationException: Item size has exceeded the maximum allowed size" {
		t.Errorf("a byte more: %s", got)
	}
}

// Requests that are wrong in themselves or for the table, with the service's
// wording.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	e := engine.New()
	createThings(t, e.Client())
	const (
		k        = `"TableName":"things","Key":{"pk":{"S":"p"},"sk":{"S":"s"}}`
		v        = `,"ExpressionAttributeValues":{":v":{"S":"x"}}`
		noSchema = "The provided key element does not match the schema"
		invalid  = "One or more parameter values were invalid: "
		notValid = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
		enum     = "' failed to satisfy constraint: Member must satisfy enum value set: ["
	)
	tests := []struct{ operation, body, want string }{
		{"GetItem", `{}`, "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null; " +
			"Value null at 'key' failed to satisfy constraint: Member must not be null"},
		{"GetItem", `{"TableName":"a/b","Key":{}}`, "1 validation error detected: Value 'a/b' at 'tableName' failed to satisfy constraint: " +
			"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"S":"p"}}}`, noSchema},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"S":"p"},"sk":{"N":"1"}}}`, noSchema},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"S":"p"},"other":{"S":"s"}}}`, noSchema},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"S":"p"},"sk":{"S":"s"},"x":{"S":"x"}}}`, noSchema},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"S":""},"sk":{"S":"s"}}}`, notValid + "string value. Key: pk"},
		{"GetItem", `{"TableName":"things","Key":{"pk":{"N":"x"},"sk":{"S":"s"}}}`, "The parameter cannot be converted to a numeric value: x"},
		{"GetItem", `{` + k + `,"ProjectionExpression":""}`, "Invalid ProjectionExpression: The expression can not be empty;"},
		{"GetItem", `{` + k + `,"ProjectionExpression":"status"}`, "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: status"},
		{"GetItem", `{` + k + `,"ExpressionAttributeNames":{"#a":"a"}}`, "ExpressionAttributeNames can only be specified when using expressions"},
		{
			"GetItem", `{` + k + `,"ProjectionExpression":"a, sk.b"}`,
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: sk",
		},
		{"GetItem", `{` + k + `,"AttributesToGet":["a"]}`, "Legacy parameters are not supported, use expressions: {AttributesToGet}"},
		{"GetItem", `{` + k + `,"ReturnConsumedCapacity":"x"}`, "1 validation error detected: Value 'x' at 'returnConsumedCapacity" + enum + "INDEXES, TOTAL, NONE]"},

		{"PutItem", `{"TableName":"things"}`, "1 validation error detected: Value null at 'item' failed to satisfy constraint: Member must not be null"},
		{"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"}}}`, invalid + "Missing the key sk in the item"},
		{"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"N":"1"}}}`, invalid + "Type mismatch for key sk expected: S actual: N"},
		{"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":""}}}`, notValid + "string value. Key: sk"},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"` + strings.Repeat("p", 2049) + `"},"sk":{"S":"s"}}}`,
			invalid + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
		},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"` + strings.Repeat("s", 1025) + `"}}}`,
			invalid + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
		},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"},"weight":{"S":"1"}}}`,
			invalid + "Type mismatch for Index Key weight Expected: N Actual: S IndexName: by-weight",
		},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"},"state":{"S":""}}}`,
			"One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
				"The AttributeValue for a key attribute cannot contain an empty string value. IndexName: by-state, IndexKey: state",
		},
		{"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"},"x":{"SS":[]}}}`, invalid + "An string set  may not be empty"},
		{"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ReturnValues":"ALL_NEW"}`, "ReturnValues can only be ALL_OLD or NONE"},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"attribute_exists(pk)","Expected":{}}`,
			"Can not use both expression and non-expression parameters in the same request: " +
				"Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
		},
		{
			"PutItem", `{"TableName":"things","Item":{"pk":{"S":"p"},"sk":{"S":"s"}}` + v + `}`,
			"ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
		},

		{"UpdateItem", `{` + k + v + `}`, "ExpressionAttributeValues can only be specified when using expressions: UpdateExpression and ConditionExpression are null"},
		{"UpdateItem", `{` + k + `,"UpdateExpression":""}`, "Invalid UpdateExpression: The expression can not be empty;"},
		{"UpdateItem", `{` + k + `,"UpdateExpression":"SET a = :v"}`, "Invalid UpdateExpression: An expression attribute value used in expression is not defined; attribute value: :v"},
		{"UpdateItem", `{` + k + `,"UpdateExpression":"INVALID SYNTAX HERE"}`, `Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"`},
		{"UpdateItem", `{` + k + v + `,"UpdateExpression":"SET a = :v","ConditionExpression":"b ="}`, `Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="`},
		{"UpdateItem", `{` + k + v + `,"UpdateExpression":"REMOVE a"}`, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"},
		{"UpdateItem", `{` + k + `,"ReturnValues":"SOME"}`, "1 validation error detected: Value 'SOME' at 'returnValues" + enum + "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"},
		{"UpdateItem", `{` + k + `,"ReturnValuesOnConditionCheckFailure":"x"}`, "1 validation error detected: Value 'x' at 'returnValuesOnConditionCheckFailure" + enum + "ALL_OLD, NONE]"},
		{
			"UpdateItem", `{` + k + v + `,"UpdateExpression":"SET state.x = :v"}`,
			"Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: state",
		},
		{
			"UpdateItem", `{` + k + v + `,"UpdateExpression":"SET weight.x = :v"}`,
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: weight",
		},
		{"UpdateItem", `{` + k + `,"AttributeUpdates":null}`, ""},
		{"UpdateItem", `{` + k + `,"AttributeUpdates":{}}`, "Legacy parameters are not supported, use expressions: {AttributeUpdates}"},

		{
			"DeleteItem", `{` + k + v + `,"ConditionExpression":"pk[0] = :v"}`,
			"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
		},
		{"DeleteItem", `{` + k + `,"ReturnValues":"UPDATED_OLD"}`, "ReturnValues can only be ALL_OLD or NONE"},
		{"DeleteItem", `{` + k + `,"ConditionExpression":"size(a)"}`, "Invalid ConditionExpression: The function is not allowed to be used this way in an expression; function: size"},
	}
	for _, test := range tests {
		status, body := post(t, e, test.operation, test.body)
		if test.want == "" && status == 200 {
			continue
		}
		if status != 400 || body["__type"] != "com.amazon.coral.validate#ValidationException" || body["message"] != test.want {
			t.Errorf("%s %.120s\n got %d %v %v\nwant %s", test.operation, test.body, status, body["__type"], body["message"], test.want)
		}
	}
	for _, operation := range []string{"GetItem", "PutItem", "UpdateItem", "DeleteItem"} {
		status, body := post(t, e, operation, `{"TableName":"missing","Key":{"pk":{"S":"p"}},"Item":{"pk":{"S":"p"}}}`)
		if status != 400 || body["__type"] != "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" {
			t.Errorf("%s of a missing table: %d %v", operation, status, body)
		}
	}
}

// A mistake in an expression is found before the table is looked for.
func TestExpressionsAreCheckedFirst(t *testing.T) {
	t.Parallel()
	_, body := post(t, engine.New(), "UpdateItem", `{"TableName":"missing","Key":{"pk":{"S":"p"}},"UpdateExpression":"SET ttl = pk"}`)
	if body["message"] != "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: ttl" {
		t.Errorf("answered %v", body)
	}
}

func TestConsumedCapacity(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "s", "x": strings.Repeat("x", 5000)})
	read := func(consistent bool) float64 {
		out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: aws.String(tableName), Key: key("p", "s").sdk(), ConsistentRead: aws.Bool(consistent),
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			t.Fatal(err)
		}
		return *out.ConsumedCapacity.CapacityUnits
	}
	if got := read(true); got != 2 {
		t.Errorf("consistent read of 5 KB cost %v", got)
	}
	if got := read(false); got != 1 {
		t.Errorf("eventually consistent read of 5 KB cost %v", got)
	}
	out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "s").sdk(), UpdateExpression: aws.String("REMOVE x"),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	if err != nil || *out.ConsumedCapacity.CapacityUnits != 5 || *out.ConsumedCapacity.Table.CapacityUnits != 5 {
		t.Errorf("write over 5 KB cost %v, %v", out.ConsumedCapacity, err)
	}
}
