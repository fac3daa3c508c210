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
// limit of them; more tells that there are others. Holds that are seen to be
// alive by the state that they wrote, and have not lasted too long, are passed
// over. It reads an index that holds leased locks alone and follows the table
// within moments: what is found may have been renewed since, which the write that
// marks it stale will tell.
func (s *Store) Lapsed(ctx context.Context, limit int) (locks []lockmodel.Lock, more bool, err error) {
	lapsed := s.Now().Add(-s.ClockSkew).UnixMilli()
	query := &dynamodb.QueryInput{
		TableName:              &s.Table,
		IndexName:              aws.String(indexByLease),
		KeyConditionExpression: aws.String(attrState + " = :held AND " + attrLeaseUntil + " < :lapsed"),
		FilterExpression:       aws.String("NOT " + attrBusyUntil + " >= :lapsed"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":held":   str(lockmodel.Held),
			":lapsed": &types.AttributeValueMemberN{Value: strconv.FormatInt(lapsed, 10)},
		},
	}
	if s.MaxHold > 0 {
		query.FilterExpression = aws.String("NOT " + attrBusyUntil + " >= :lapsed OR " + string(lockmodel.AttrAcquiredAt) + " <= :overdue")
		query.ExpressionAttributeValues[":overdue"] = num(lapsed - s.MaxHold.Milliseconds())
	}
	for {
		query.Limit = aws.Int32(int32(limit - len(locks))) // counted before the filter
		result, err := s.client.Query(ctx, query)
		if err != nil {
			return nil, false, fmt.Errorf("look for lapsed leases: %w", err)
		}
		found, err := decodeAll(result.Items)
		if err != nil {
			return nil, false, err
		}
		locks = append(locks, found...)
		query.ExclusiveStartKey = result.LastEvaluatedKey
		if more = len(result.LastEvaluatedKey) > 0; !more || len(locks) == limit {
			return locks, more, nil
		}
	}
}
