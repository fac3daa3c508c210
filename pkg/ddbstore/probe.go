package ddbstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Probe finds out whether the endpoint gives the item that made a condition
// fail, without which a refusal would look like an unlocked lock. DynamoDB
// does; DynamoDB Local does from version 2.2.0 on; some emulators don't. The
// probe leaves one item in the table, under a name that is no workspace's.
func Probe(ctx context.Context, client Client, table string) error {
	for range 2 { // the first may find no item, and then makes it
		_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName:                           &table,
			Key:                                 map[string]types.AttributeValue{attrWorkspace: str("(probe)"), attrSort: str("probe")},
			ConditionExpression:                 aws.String("attribute_not_exists(" + attrWorkspace + ")"),
			UpdateExpression:                    aws.String("SET probed = :yes"),
			ExpressionAttributeValues:           map[string]types.AttributeValue{":yes": &types.AttributeValueMemberBOOL{Value: true}},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		failed, conditionFailed := errors.AsType[*types.ConditionalCheckFailedException](err)
		switch {
		case conditionFailed && len(failed.Item) > 0:
			return nil
		case conditionFailed:
			return errors.New("this DynamoDB does not return the item that made a condition fail (ReturnValuesOnConditionCheckFailure), on which every refusal depends")
		case err != nil:
			return fmt.Errorf("probe table %s: %w", table, err)
		}
	}
	return errors.New("this DynamoDB lets a write through whose condition is false")
}
