package engine_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Of many that race for one lock exactly one gets it, every time, and all the
// others are told who did.
func TestOneWinnerEachRound(t *testing.T) {
	t.Parallel()
	const racers, rounds = 64, 200
	db := things(t)
	ctx := t.Context()
	var winners [rounds][]int
	var mu sync.Mutex
	var start [rounds]chan struct{}
	for i := range start {
		start[i] = make(chan struct{})
	}
	var finished [rounds]sync.WaitGroup
	for i := range finished {
		finished[i].Add(racers)
	}
	var all sync.WaitGroup
	for racer := range racers {
		all.Go(func() {
			for round := range rounds {
				<-start[round]
				holder := fmt.Sprintf("%d of %d", racer, round)
				_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
					TableName:                           aws.String(tableName),
					Key:                                 key("lock", "prod").sdk(),
					ConditionExpression:                 aws.String("attribute_not_exists(pk) OR round_no < :round"),
					UpdateExpression:                    aws.String("SET round_no = :round, holder = :holder ADD fence :one"),
					ExpressionAttributeValues:           item{":round": num(fmt.Sprint(round + 1)), ":holder": holder, ":one": num("1")}.sdk(),
					ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
				})
				failed, lost := errors.AsType[*types.ConditionalCheckFailedException](err)
				switch {
				case err == nil:
					mu.Lock()
					winners[round] = append(winners[round], racer)
					mu.Unlock()
				case !lost:
					t.Errorf("round %d, racer %d: %v", round, racer, err)
				case plain(failed.Item)["round_no"] != num(fmt.Sprint(round+1)) || plain(failed.Item)["holder"] == holder:
					t.Errorf("round %d, racer %d lost against %v", round, racer, plain(failed.Item))
				}
				finished[round].Done()
			}
		})
	}
	for round := range rounds {
		close(start[round])
		finished[round].Wait()
		if len(winners[round]) != 1 {
			t.Errorf("round %d has the winners %v", round, winners[round])
			continue
		}
		want := fmt.Sprintf("%d of %d", winners[round][0], round)
		if got := get(t, db, key("lock", "prod")); got["holder"] != want || got["fence"] != num(fmt.Sprint(round+1)) {
			t.Errorf("round %d was won by %s, but the item is %v", round, want, got)
		}
	}
	all.Wait()
}

// Money moved around by transactions stays the same, at any moment.
func TestTransactionsAreIsolated(t *testing.T) {
	t.Parallel()
	db := things(t, item{"pk": "p", "sk": "a", "n": num("50")}, item{"pk": "p", "sk": "b", "n": num("50")})
	ctx := t.Context()
	var movers sync.WaitGroup
	for i := range 4 {
		from, to := "a", "b"
		if i%2 == 0 {
			from, to = to, from
		}
		movers.Go(func() {
			for range 50 {
				err := transact(t, db, "",
					transactUpdate(key("p", from), "SET n = n - :one", item{":one": num("1")}),
					transactUpdate(key("p", to), "SET n = n + :one", item{":one": num("1")}))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			out, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
				{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "a").sdk()}},
				{Get: &types.Get{TableName: aws.String(tableName), Key: key("p", "b").sdk()}},
			}})
			if err != nil {
				t.Error(err)
				return
			}
			sum := 0
			for _, r := range out.Responses {
				n, err := strconv.Atoi(string(plain(r.Item)["n"].(num)))
				if err != nil {
					t.Error(err)
				}
				sum += n
			}
			if sum != 100 {
				t.Errorf("together they have %d", sum)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	movers.Wait()
	close(done)
	reader.Wait()
}
