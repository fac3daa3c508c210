package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/localtest/engine/kv"
)

func open(t *testing.T, path string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What a file holds is there again when it is opened again.
func TestReopenedFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "tables.db")
	e := open(t, path)
	db := e.Client()
	createThings(t, db)
	_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(tableName),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, everything, item{"pk": "p", "sk": "held", "state": "held"}, item{"pk": "p", "sk": "gone"},
		item{"pk": "p", "sk": "old", "expires": num(fmt.Sprint(time.Now().Add(-time.Hour).Unix()))})
	if _, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: key("p", "gone").sdk()}); err != nil {
		t.Fatal(err)
	}
	add := transactUpdate(key("p", "count"), "ADD n :one", item{":one": num("1")})
	if err := transact(t, db, "token", add); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dropped", "other"} {
		_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
			TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: define("id:N"), KeySchema: keys("id"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("dropped")}); err != nil {
		t.Fatal(err)
	}
	describe := func() *types.TableDescription {
		out, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
		if err != nil {
			t.Fatal(err)
		}
		return out.Table
	}
	before := describe()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = open(t, path)
	t.Cleanup(func() { closeEngine(t, e) })
	db = e.Client()
	if after := describe(); *after.TableId != *before.TableId || *after.ItemCount != 4 || *after.TableSizeBytes != *before.TableSizeBytes ||
		!after.CreationDateTime.Equal(*before.CreationDateTime) || len(after.GlobalSecondaryIndexes) != 2 {
		t.Errorf("described as %+v, before as %+v", after, before)
	}
	if diff := cmp.Diff(everything, get(t, db, key("p", "s"))); diff != "" {
		t.Errorf("read back (-want +got)\n%s", diff)
	}
	if got := get(t, db, key("p", "gone")); got != nil {
		t.Errorf("a deleted item is back: %v", got)
	}
	if out, err := db.Query(ctx, query(t, db, "by-state", "#state = :a", "held")); err != nil || sorts(out.Items) != "p/held" {
		t.Errorf("the index has %v, %v", out, err)
	}
	if err := transact(t, db, "token", add); err != nil || get(t, db, key("p", "count"))["n"] != num("1") {
		t.Errorf("a transaction's token was forgotten: %v", err)
	}
	if n, err := e.SweepExpired(time.Now()); err != nil || n != 1 {
		t.Errorf("swept %d, %v", n, err)
	}
	if out, err := db.ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil || !cmp.Equal(out.TableNames, []string{"other", tableName}) {
		t.Errorf("tables %v, %v", out.TableNames, err)
	}
}

func TestFileHasOneOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tables.db")
	e := open(t, path)
	if second, err := engine.Open(path); !errors.Is(err, kv.ErrInUse) {
		t.Errorf("opened twice: %v, %v", second, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, path).Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(path, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(path); err == nil {
		t.Error("opened a file of zeros")
	}
	if _, err := engine.Open(filepath.Join(dir, "missing", "tables.db")); err == nil {
		t.Error("opened a file in a folder that is not there")
	}
}

// A write that can't be made durable is an error, and nobody ever sees it.
func TestFailedCommitLeavesMemoryAlone(t *testing.T) {
	t.Parallel()
	e := open(t, filepath.Join(t.TempDir(), "tables.db"))
	db := e.Client(func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	createThings(t, db)
	stored := item{"pk": "p", "sk": "s", "state": "free"}
	put(t, db, stored)
	// With the file closed under it the engine can't commit any more.
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "s").sdk(), UpdateExpression: aws.String("REMOVE #state"),
		ExpressionAttributeNames: map[string]string{"#state": "state"},
	})
	if _, ok := errors.AsType[*types.InternalServerError](err); !ok {
		t.Errorf("update: %v", err)
	}
	if err := transact(t, db, "token", transactDelete(key("p", "s"))); err == nil {
		t.Error("transaction: no error")
	}
	if _, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(tableName)}); err == nil {
		t.Error("delete table: no error")
	}
	if got := get(t, db, key("p", "s")); !cmp.Equal(got, stored) {
		t.Errorf("the item is %v", got)
	}
	if out, err := db.Query(t.Context(), query(t, db, "by-state", "#state = :a", "free")); err != nil || out.Count != 1 {
		t.Errorf("the index has %v, %v", out, err)
	}
}

// Concurrent writes to a file all arrive.
func TestConcurrentWritesToAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tables.db")
	e := open(t, path)
	db := e.Client()
	createThings(t, db)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 5 {
				_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: aws.String(tableName), Key: key("p", "count").sdk(),
					UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: item{":one": num("1")}.sdk(),
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = open(t, path)
	t.Cleanup(func() { closeEngine(t, e) })
	if got := get(t, e.Client(), key("p", "count"))["n"]; got != num("40") {
		t.Errorf("counted %v", got)
	}
}
