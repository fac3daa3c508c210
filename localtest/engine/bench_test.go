package engine_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/engine"
)

// acquire is an update as a lock service sends it.
func acquire() *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName),
		Key:       key("lock", "prod").sdk(),
		ConditionExpression: aws.String("(attribute_not_exists(pk) OR st = :free OR st = :held AND lock_id = :id) " +
			"AND (attribute_not_exists(holders) OR holders < :two) AND lock_id <> :spent"),
		UpdateExpression: aws.String("SET st = :held, holders = :one, #owner = :runner, lock_id = :id ADD fence :one"),
		ExpressionAttributeNames: map[string]string{
			"#owner": "owner",
		},
		ExpressionAttributeValues: item{
			":free": "free", ":held": "held", ":id": "0d6b8a3e-6f0e-4f6c-9a43-5f2f7f7c1d11", ":runner": "ci-runner-7",
			":one": num("1"), ":two": num("2"), ":spent": "none",
		}.sdk(),
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

func BenchmarkUpdateItem(b *testing.B) {
	run := func(b *testing.B, e *engine.Engine) {
		db := e.Client()
		createThings(b, db)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := db.UpdateItem(b.Context(), acquire()); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("memory", func(b *testing.B) { run(b, engine.New()) })
	b.Run("file", func(b *testing.B) {
		e, err := engine.Open(filepath.Join(b.TempDir(), "tables.db"))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { closeEngine(b, e) })
		run(b, e)
	})
}

// The engine's own share of a request, without the SDK.
func BenchmarkHandler(b *testing.B) {
	e := engine.New()
	createThings(b, e.Client())
	var body string
	recording := engine.HTTPClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			b.Error(err)
		}
		body = string(sent)
		write(b, w, "{}")
	}))
	db := e.Client(func(o *dynamodb.Options) { o.HTTPClient = recording })
	if _, err := db.UpdateItem(b.Context(), acquire()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.UpdateItem")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
