// Command client is a Lambda function that makes a DynamoDB client and reads an
// item that isn't there: what a start costs with the AWS SDK.
package main

import (
	"context"
	"encoding/json"
	"log"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(cfg)
	lambda.Start(func(ctx context.Context, _ json.RawMessage) (int, error) {
		result, err := client.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String("locks"), ConsistentRead: aws.Bool(true),
			Key: map[string]types.AttributeValue{
				"ws": &types.AttributeValueMemberS{Value: "prod"}, "sk": &types.AttributeValueMemberS{Value: "lock"},
			},
		})
		if err != nil {
			return 0, err
		}
		return len(result.Item), nil
	})
}
