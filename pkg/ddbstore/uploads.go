package ddbstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// UploadGrace is how long after its beginning a state write is taken to have
// broken off. It is much longer than a request to the service, or the signature
// of one to DynamoDB, is good for.
const UploadGrace = time.Hour

// Tidied is what Tidy did.
type Tidied struct {
	// Numbered counts versions that became current unnoticed, Dropped those that
	// never did.
	Numbered, Dropped int
	// More tells that there are more than one call looks at.
	More bool
}

// Tidy finds state writes that broke off, or that were refused, longer than
// UploadGrace ago, at most limit of them, and has DynamoDB delete what they
// uploaded. It reads an index that holds such writes alone. It may run at the
// same time as anything else, stop anywhere and be repeated.
func (s *Store) Tidy(ctx context.Context, limit int) (Tidied, error) {
	var t Tidied
	query := &dynamodb.QueryInput{
		TableName:                 &s.Table,
		IndexName:                 aws.String(indexByState),
		KeyConditionExpression:    aws.String(attrState + " = :uploading"),
		FilterExpression:          aws.String("at_ms < :before"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":uploading": str(uploading), ":before": num(s.Now().Add(-UploadGrace).UnixMilli())},
	}
	for {
		query.Limit = aws.Int32(int32(limit - t.Numbered - t.Dropped)) // counted before the filter
		result, err := s.client.Query(ctx, query)
		if err != nil {
			return t, fmt.Errorf("look for broken state writes: %w", err)
		}
		for _, attributes := range result.Items {
			if err := s.tidy(ctx, attributes, &t); err != nil {
				return t, err
			}
		}
		query.ExclusiveStartKey = result.LastEvaluatedKey
		if t.More = len(result.LastEvaluatedKey) > 0; !t.More || t.Numbered+t.Dropped == limit {
			return t, nil
		}
	}
}

// tidy decides about one write: what the lock points to became current.
func (s *Store) tidy(ctx context.Context, attributes map[string]types.AttributeValue, t *Tidied) error {
	v, err := decodeVersion(attributes)
	if err != nil {
		return err
	}
	ws, ok := attributes[attrWorkspace].(*types.AttributeValueMemberS)
	if !ok {
		return fmt.Errorf("an item of the index has no %s", attrWorkspace)
	}
	l, err := s.Lock(ctx, ws.Value)
	if err != nil {
		return err
	}
	if l.Version == v.id {
		t.Numbered++
		return s.number(ctx, l)
	}
	t.Dropped++
	return s.expire(ctx, l.Workspace, v)
}
