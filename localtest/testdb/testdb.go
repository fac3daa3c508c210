// Package testdb gives tests a table in a DynamoDB: the embedded engine's, in
// memory and in process, or that of any server whose URL is in the environment
// variable STATELOCK_TEST_ENDPOINT.
package testdb

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// EndpointVariable names the server to test against.
const EndpointVariable = "STATELOCK_TEST_ENDPOINT"

// EveryVariable has the longest tests go through every n-th of their cases only,
// for servers that are slow.
const EveryVariable = "STATELOCK_TEST_EVERY"

// Every is the number that EveryVariable has, 1 where it isn't set.
func Every(t testing.TB) int {
	t.Helper()
	text, set := os.LookupEnv(EveryVariable)
	if !set {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q: want a whole number from 1", EveryVariable, text)
	}
	return n
}

// DB is a table of a test's own.
type DB struct {
	// Client is for the code under test. Its requests are counted, and go
	// through the transports that the test put in between.
	Client *dynamodb.Client
	Table  string

	endpoint  string
	transport http.RoundTripper
	direct    *dynamodb.Client
	requests  atomic.Int64
}

// Open makes a table for the test and deletes it afterwards. The requests of
// DB.Client go through the given transports, the first being the outermost.
func Open(t testing.TB, between ...func(http.RoundTripper) http.RoundTripper) *DB {
	t.Helper()
	endpoint, transport := server(t)
	db := &DB{Table: "test-" + uuid.NewString(), endpoint: endpoint, transport: transport, direct: client(endpoint, transport)}
	through := http.RoundTripper(roundTrip(func(r *http.Request) (*http.Response, error) {
		db.requests.Add(1)
		return transport.RoundTrip(r)
	}))
	for _, wrap := range slices.Backward(between) {
		through = wrap(through)
	}
	db.Client = client(endpoint, through)

	if err := ddbstore.CreateTable(t.Context(), db.direct, db.Table); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := db.direct.DeleteTable(context.WithoutCancel(t.Context()), &dynamodb.DeleteTableInput{TableName: &db.Table})
		if err != nil {
			t.Errorf("delete the test's table: %v", err)
		}
	})
	return db
}

// server finds the DynamoDB to test against.
func server(t testing.TB) (endpoint string, transport http.RoundTripper) {
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		t.Cleanup(transport.CloseIdleConnections)
		return endpoint, transport
	}
	e := engine.New()
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://embedded.invalid", engine.HTTPClient(e).Transport
}

func client(endpoint string, transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint,
		Region:       "us-east-1",
		Credentials:  aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider("test", "test", "")),
		HTTPClient:   &http.Client{Transport: transport},
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Requests tells how many requests reached the server since the last call.
func (db *DB) Requests() int { return int(db.requests.Swap(0)) }

// Through gives another client of the table, whose requests go through the
// given transport, over connections of its own.
func (db *DB) Through(t testing.TB, between func(http.RoundTripper) http.RoundTripper) *dynamodb.Client {
	t.Helper()
	own := db.transport
	if shared, ok := own.(*http.Transport); ok {
		clone := shared.Clone()
		t.Cleanup(clone.CloseIdleConnections)
		own = clone
	}
	return client(db.endpoint, between(own))
}

// Get reads a lock item past the code under test; nil where there is none.
func (db *DB) Get(t testing.TB, ws string) map[string]types.AttributeValue {
	t.Helper()
	return db.Item(t, ws, sortLock)
}

// Item reads any item of a workspace past the code under test.
func (db *DB) Item(t testing.TB, ws, sort string) map[string]types.AttributeValue {
	t.Helper()
	out, err := db.direct.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &db.Table, Key: key(ws, sort), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// Sorts lists the sort keys of a workspace's items that have a prefix.
func (db *DB) Sorts(t testing.TB, ws, prefix string) []string {
	t.Helper()
	var sorts []string
	pages := dynamodb.NewQueryPaginator(db.direct, &dynamodb.QueryInput{
		TableName: &db.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("ws = :ws"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":ws": &types.AttributeValueMemberS{Value: ws}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			if sort := item["sk"].(*types.AttributeValueMemberS).Value; strings.HasPrefix(sort, prefix) {
				sorts = append(sorts, sort)
			}
		}
	}
	return sorts
}

// Set writes attributes of a lock item past the code under test: plain Go
// values, or nil to remove one.
func (db *DB) Set(t testing.TB, ws string, attributes map[string]any) {
	t.Helper()
	db.SetItem(t, ws, sortLock, attributes)
}

// SetItem does the same to any item of a workspace.
func (db *DB) SetItem(t testing.TB, ws, sort string, attributes map[string]any) {
	t.Helper()
	item := db.Item(t, ws, sort)
	if item == nil {
		item = key(ws, sort)
	}
	for name, value := range attributes {
		delete(item, name)
		if value == nil {
			continue
		}
		av, err := attributevalue.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		item[name] = av
	}
	if _, err := db.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &db.Table, Item: item}); err != nil {
		t.Fatal(err)
	}
}

// Remove deletes an item past the code under test.
func (db *DB) Remove(t testing.TB, ws, sort string) {
	t.Helper()
	if _, err := db.direct.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &db.Table, Key: key(ws, sort)}); err != nil {
		t.Fatal(err)
	}
}

// sortLock is the sort key of lock items.
const sortLock = "lock"

func key(ws, sort string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"ws": &types.AttributeValueMemberS{Value: ws},
		"sk": &types.AttributeValueMemberS{Value: sort},
	}
}
