package ddbstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Names of the table's keys and indexes.
const (
	attrWorkspace = "ws"
	attrSort      = "sk"
	sortLock      = "lock"
	indexByState  = "by_state"
	indexByLease  = "by_lease"
)

// TableInput is the definition of the table. The deployments define the same
// one; a test compares them.
func TableInput(name string) *dynamodb.CreateTableInput {
	text := func(attr string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &attr, AttributeType: types.ScalarAttributeTypeS}
	}
	keys := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: &hash, KeyType: types.KeyTypeHash},
			{AttributeName: &sort, KeyType: types.KeyTypeRange},
		}
	}
	return &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			text(attrWorkspace), text(attrSort), text(attrState),
			{AttributeName: aws.String(attrLeaseUntil), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: keys(attrWorkspace, attrSort),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{
				IndexName:  aws.String(indexByState),
				KeySchema:  keys(attrState, attrWorkspace),
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			},
			{
				IndexName:  aws.String(indexByLease),
				KeySchema:  keys(attrState, attrLeaseUntil),
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			},
		},
	}
}

// TableClient is what CreateTable needs of the DynamoDB client.
type TableClient interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	dynamodb.DescribeTableAPIClient
}

// CreateTable makes sure that the table exists and is ready: for local use and
// tests, since in production a template owns the table.
func CreateTable(ctx context.Context, client TableClient, name string) error {
	_, err := client.CreateTable(ctx, TableInput(name))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	ready := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay = 50 * time.Millisecond
	})
	if err := ready.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, time.Minute); err != nil {
		return fmt.Errorf("wait for table %s: %w", name, err)
	}
	return nil
}
