package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/statelock/statelock/localtest/engine"
)

// item is an item as the tests write it: strings, num, []byte, bool, nil, []any,
// item for a map, and the three kinds of sets.
type (
	item       map[string]any
	num        string
	stringSet  []string
	numberSet  []string
	binarySet  [][]byte
	attributes = map[string]types.AttributeValue
)

// sdk makes SDK values of an item; a nil item has none.
func (m item) sdk() attributes {
	if m == nil {
		return nil
	}
	out := attributes{}
	for name, v := range m {
		out[name] = sdkValue(v)
	}
	return out
}

func sdkValue(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return &types.AttributeValueMemberS{Value: v}
	case num:
		return &types.AttributeValueMemberN{Value: string(v)}
	case []byte:
		return &types.AttributeValueMemberB{Value: v}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case stringSet:
		return &types.AttributeValueMemberSS{Value: v}
	case numberSet:
		return &types.AttributeValueMemberNS{Value: v}
	case binarySet:
		return &types.AttributeValueMemberBS{Value: v}
	case item:
		return &types.AttributeValueMemberM{Value: v.sdk()}
	case []any:
		list := []types.AttributeValue{}
		for _, elem := range v {
			list = append(list, sdkValue(elem))
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// plain makes an item of SDK values; nil of none.
func plain(values attributes) item {
	if values == nil {
		return nil
	}
	out := item{}
	for name, v := range values {
		out[name] = plainValue(v)
	}
	return out
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return num(v.Value)
	case *types.AttributeValueMemberB:
		return v.Value
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberSS:
		return stringSet(v.Value)
	case *types.AttributeValueMemberNS:
		return numberSet(v.Value)
	case *types.AttributeValueMemberBS:
		return binarySet(v.Value)
	case *types.AttributeValueMemberM:
		return plain(v.Value)
	case *types.AttributeValueMemberL:
		list := []any{}
		for _, elem := range v.Value {
			list = append(list, plainValue(elem))
		}
		return list
	}
	return nil
}

// plainAll is plain for a list of items.
func plainAll(list []attributes) []item {
	var out []item
	for _, values := range list {
		out = append(out, plain(values))
	}
	return out
}

// tableName is the table that most tests use: it has a partition key pk and a
// sort key sk, and the indexes that newTable describes.
const tableName = "things"

func define(definitions ...string) []types.AttributeDefinition {
	var out []types.AttributeDefinition
	for _, d := range definitions {
		name, typ, _ := strings.Cut(d, ":")
		out = append(out, types.AttributeDefinition{
			AttributeName: aws.String(name),
			AttributeType: types.ScalarAttributeType(typ),
		})
	}
	return out
}

func keys(hash string, sort ...string) []types.KeySchemaElement {
	out := []types.KeySchemaElement{{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}}
	for _, name := range sort {
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(name), KeyType: types.KeyTypeRange})
	}
	return out
}

func projects(kind types.ProjectionType, attributes ...string) *types.Projection {
	return &types.Projection{ProjectionType: kind, NonKeyAttributes: attributes}
}

// createThings makes the table: pk and sk are strings; index "by-state" has
// keys state and sk and everything else, "by-weight" has the number weight and only
// keys, "local" sorts by weight and includes note.
func createThings(t testing.TB, db *dynamodb.Client) {
	t.Helper()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(tableName),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: define("pk:S", "sk:S", "state:S", "weight:N"),
		KeySchema:            keys("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("by-state"), KeySchema: keys("state", "sk"), Projection: projects("ALL")},
			{IndexName: aws.String("by-weight"), KeySchema: keys("weight"), Projection: projects("KEYS_ONLY")},
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{
			{IndexName: aws.String("local"), KeySchema: keys("pk", "weight"), Projection: projects("INCLUDE", "note")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// things returns a client of a new engine that has the table with the items.
func things(t testing.TB, items ...item) *dynamodb.Client {
	t.Helper()
	db := engine.New().Client()
	createThings(t, db)
	put(t, db, items...)
	return db
}

func put(t testing.TB, db *dynamodb.Client, items ...item) {
	t.Helper()
	for _, it := range items {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: it.sdk()})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// key is the key of an item in the table.
func key(pk, sk string) item { return item{"pk": pk, "sk": sk} }

// get reads an item back, nil if it is not there.
func get(t testing.TB, db *dynamodb.Client, k item) item {
	t.Helper()
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName:      aws.String(tableName),
		Key:            k.sdk(),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return plain(out.Item)
}

// optional is an expression that may be left out.
func optional(expression string) *string {
	if expression == "" {
		return nil
	}
	return aws.String(expression)
}

// errorText is an error's code and message, "" for none.
func errorText(err error) string {
	if apiErr, ok := errors.AsType[smithy.APIError](err); ok {
		return apiErr.ErrorCode() + ": " + apiErr.ErrorMessage()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func closeEngine(t testing.TB, e *engine.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func write(t testing.TB, w http.ResponseWriter, body string) {
	t.Helper()
	if _, err := io.WriteString(w, body); err != nil {
		t.Error(err)
	}
}

// post sends one raw request to h and returns status and decoded body.
func post(t testing.TB, h http.Handler, operation, body string) (int, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var decoded map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &decoded); err != nil {
		t.Fatalf("%s %s: answered %q: %v", operation, body, w.Body, err)
	}
	return w.Code, decoded
}
