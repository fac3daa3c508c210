package ddbstore

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Lapsed reads held locks whose lease has lapsed, the longest ago first, at most
// limit of them; more tells that there are others. It reads an index that holds
// leased locks alone and follows the table within moments: what is found may
// have been renewed since, which the write that marks it stale will tell.
func (s *Store) Lapsed(ctx context.Context, limit int) (locks []lockmodel.Lock, more bool, err error) {
	lapsed := s.Now().Add(-s.ClockSkew).UnixMilli()
	result, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName:              &s.Table,
		IndexName:              aws.String(indexByLease),
		KeyConditionExpression: aws.String(attrState + " = :held AND " + attrLeaseUntil + " < :lapsed"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":held":   str(lockmodel.Held),
			":lapsed": &types.AttributeValueMemberN{Value: strconv.FormatInt(lapsed, 10)},
		},
		Limit: aws.Int32(int32(limit)),
	})
	if err != nil {
		return nil, false, fmt.Errorf("look for lapsed leases: %w", err)
	}
	locks, err = decodeAll(result.Items)
	return locks, len(result.LastEvaluatedKey) > 0, err
}
