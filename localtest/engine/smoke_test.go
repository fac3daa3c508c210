package engine

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func TestSmoke(t *testing.T) {
	ctx := t.Context()
	db := New().Client()
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   aws.String("locks"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: "S"},
			{AttributeName: aws.String("g"), AttributeType: "S"},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("byg"),
			KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("g"), KeyType: "HASH"}, {AttributeName: aws.String("pk"), KeyType: "RANGE"}},
			Projection: &types.Projection{ProjectionType: "ALL"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := dynamodb.NewTableExistsWaiter(db).Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("locks")}, 1e9); err != nil {
		t.Fatal(err)
	}
	up := func(cond string) (*dynamodb.UpdateItemOutput, error) {
		return db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"pk": s("prod")},
			UpdateExpression:                    aws.String("SET st = :held, g = :held ADD fence :one"),
			ConditionExpression:                 aws.String(cond),
			ExpressionAttributeValues:           map[string]types.AttributeValue{":held": s("held"), ":one": n("1")},
			ReturnValues:                        types.ReturnValueAllNew,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
	}
	out, err := up("attribute_not_exists(pk) OR st <> :held")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(out.Attributes)
	_, err = up("attribute_not_exists(pk) OR st <> :held")
	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok || failed.Item["fence"].(*types.AttributeValueMemberN).Value != "1" {
		t.Fatal(err, failed)
	}
	t.Log(failed)
	q, err := db.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("locks"), IndexName: aws.String("byg"),
		KeyConditionExpression:    aws.String("g = :g AND begins_with(pk, :p)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":g": s("held"), ":p": s("pr")}})
	if err != nil || q.Count != 1 {
		t.Fatal(err, q)
	}
	_, err = db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String("locks"), Item: map[string]types.AttributeValue{"pk": s("x")}}},
		{ConditionCheck: &types.ConditionCheck{TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"pk": s("prod")},
			ConditionExpression: aws.String("attribute_not_exists(pk)"), ReturnValuesOnConditionCheckFailure: "ALL_OLD"}},
	}})
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || canceled.CancellationReasons[1].Item == nil {
		t.Fatal(err)
	}
	t.Log(canceled, *canceled.CancellationReasons[1].Code, *canceled.CancellationReasons[1].Message, *canceled.CancellationReasons[0].Code)
	_, err = up("attribute_not_exists(pk) OR status <> :held")
	t.Log(err)
	_, err = db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("nope"), Key: map[string]types.AttributeValue{"pk": s("prod")}})
	t.Log(err)
	_, err = db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: aws.String("nope")})
	t.Log(err)
	g, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"pk": s("prod")}})
	t.Log(g.Item, err)
}
