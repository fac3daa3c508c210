package engines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
)

// forEach runs test once per engine, each on a fresh one with a table "locks".
func forEach(t *testing.T, test func(*testing.T, *dynamodb.Client)) {
	t.Parallel()
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			db := connect(e.ForTest(t, Options{}))
			createTable(t, db)
			test(t, db)
		})
	}
}

// connect is a client that never tries again, so that each call is one request.
func connect(url string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(url),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer:      aws.NopRetryer{},
	})
}

func createTable(t *testing.T, db *dynamodb.Client) {
	t.Helper()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String("locks"),
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("k"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("k"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = dynamodb.NewTableExistsWaiter(db).Wait(t.Context(),
		&dynamodb.DescribeTableInput{TableName: aws.String("locks")}, tableWait)
	if err != nil {
		t.Fatal(err)
	}
}

// The three writes, each on a condition that does not hold.
func TestFailedConditionReturnsItem(t *testing.T) {
	forEach(t, func(t *testing.T, db *dynamodb.Client) {
		stored := item("a", "v1")
		put(t, db, stored)
		never, whenAsked := aws.String("v = :no"), types.ReturnValuesOnConditionCheckFailureAllOld
		no := map[string]types.AttributeValue{":no": str("no")}
		writes := map[string]func(k string, want types.ReturnValuesOnConditionCheckFailure) error{
			"put": func(k string, want types.ReturnValuesOnConditionCheckFailure) error {
				_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
					TableName: aws.String("locks"), Item: item(k, "v2"), ConditionExpression: never,
					ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: want,
				})
				return err
			},
			"update": func(k string, want types.ReturnValuesOnConditionCheckFailure) error {
				_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
					TableName: aws.String("locks"), Key: key(k), ConditionExpression: never,
					UpdateExpression:          aws.String("SET v = :no"),
					ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: want,
				})
				return err
			},
			"delete": func(k string, want types.ReturnValuesOnConditionCheckFailure) error {
				_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
					TableName: aws.String("locks"), Key: key(k), ConditionExpression: never,
					ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: want,
				})
				return err
			},
		}
		for name, write := range writes {
			for _, c := range []struct {
				key   string
				asked types.ReturnValuesOnConditionCheckFailure
				want  map[string]types.AttributeValue
			}{
				{"a", whenAsked, stored},
				{"a", types.ReturnValuesOnConditionCheckFailureNone, nil},
				{"a", "", nil},
				{"absent", whenAsked, nil},
			} {
				err := write(c.key, c.asked)
				failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
				if !ok {
					t.Errorf("%s of %q asking %q: got error %v, want a failed condition", name, c.key, c.asked, err)
					continue
				}
				if diff := cmp.Diff(c.want, failed.Item, compareItems); diff != "" {
					t.Errorf("%s of %q asking %q: returned item (-want +got):\n%s", name, c.key, c.asked, diff)
				}
			}
		}
		if diff := cmp.Diff(stored, get(t, db, "a"), compareItems); diff != "" {
			t.Errorf("a refused write changed the item (-want +got):\n%s", diff)
		}
	})
}

// An update returns the item as it was, and nothing where there was none.
func TestUpdateReturnsOldItem(t *testing.T) {
	forEach(t, func(t *testing.T, db *dynamodb.Client) {
		put(t, db, item("a", "old"))
		for k, want := range map[string]map[string]types.AttributeValue{"a": item("a", "old"), "absent": nil} {
			out, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
				TableName: aws.String("locks"), Key: key(k), UpdateExpression: aws.String("SET v = :v"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":v": str("new")},
				ReturnValues:              types.ReturnValueAllOld,
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out.Attributes, compareItems); diff != "" {
				t.Errorf("old item of %q (-want +got):\n%s", k, diff)
			}
			if diff := cmp.Diff(item(k, "new"), get(t, db, k), compareItems); diff != "" {
				t.Errorf("new item of %q (-want +got):\n%s", k, diff)
			}
		}
	})
}

func TestRaceHasOneWinner(t *testing.T) {
	const rounds, racers = 20, 64
	forEach(t, func(t *testing.T, db *dynamodb.Client) {
		for round := range rounds {
			k := fmt.Sprint("race", round)
			var winners atomic.Int32
			var wg sync.WaitGroup
			start := make(chan struct{})
			for racer := range racers {
				wg.Go(func() {
					<-start
					_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{
						TableName: aws.String("locks"), Item: item(k, fmt.Sprint(racer)),
						ConditionExpression: aws.String("attribute_not_exists(k)"),
					})
					if err == nil {
						winners.Add(1)
					} else if _, lost := errors.AsType[*types.ConditionalCheckFailedException](err); !lost {
						t.Errorf("round %d: %v", round, err)
					}
				})
			}
			close(start)
			wg.Wait()
			if n := winners.Load(); n != 1 {
				t.Fatalf("round %d: %d of %d racers won, want 1", round, n, racers)
			}
		}
	})
}

func TestStopKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, e := range []Engine{Dynalite, Dynoxide} {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			opt := Options{Data: t.TempDir()}
			written := t.Run("write", func(t *testing.T) { // ends with the engine killed
				db := connect(e.ForTest(t, opt))
				createTable(t, db)
				put(t, db, item("a", "kept"))
			})
			if !written {
				return
			}
			db := connect(e.ForTest(t, opt))
			if diff := cmp.Diff(item("a", "kept"), get(t, db, "a"), compareItems); diff != "" {
				t.Errorf("after a kill (-want +got):\n%s", diff)
			}
		})
	}
}

func put(t *testing.T, db *dynamodb.Client, it map[string]types.AttributeValue) {
	t.Helper()
	_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("locks"), Item: it})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, db *dynamodb.Client, k string) map[string]types.AttributeValue {
	t.Helper()
	out, err := db.GetItem(context.WithoutCancel(t.Context()), &dynamodb.GetItemInput{
		TableName: aws.String("locks"), Key: key(k), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}
