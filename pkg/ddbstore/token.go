package ddbstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/auth"
)

// Where tokens are: under a name that is no workspace's. They have none of the
// attributes that the indexes of locks go by.
const (
	tokenPartition = "#tokens"
	sortToken      = "token#"
	attrDigest     = "digest"
	attrRevokedAt  = "revoked_at"
)

// ErrTokenExists says that there is a token with an id already.
var ErrTokenExists = errors.New("there is a token with this id already")

// storedToken is a token as it is stored. Times are milliseconds since the Unix
// epoch, as those of locks. When it expires is not called expires_at, which is
// the table's time to live: a token that has lapsed must still be found, to
// finish the holds that it began.
type storedToken struct {
	Partition   string            `dynamodbav:"ws"`
	Sort        string            `dynamodbav:"sk"`
	Name        string            `dynamodbav:"label"`
	Digest      string            `dynamodbav:"digest"`
	Permissions []auth.Permission `dynamodbav:"allow"`
	Workspaces  []auth.Pattern    `dynamodbav:"workspaces"`
	CreatedAt   int64             `dynamodbav:"created_at"`
	CreatedBy   string            `dynamodbav:"created_by,omitempty"`
	ValidUntil  int64             `dynamodbav:"valid_until,omitempty"`
	RevokedAt   int64             `dynamodbav:"revoked_at,omitempty"`
}

// TokenClient is what Tokens uses of DynamoDB.
type TokenClient interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	dynamodb.QueryAPIClient
}

var (
	_ TokenClient = (*dynamodb.Client)(nil)
	_ auth.Tokens = (*Tokens)(nil)
)

// Tokens keeps the tokens in the table of the locks.
type Tokens struct {
	Client TokenClient
	Table  string
}

// Create stores a token. It never replaces one: an id that is taken is
// ErrTokenExists.
func (s *Tokens) Create(ctx context.Context, t auth.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	item, err := attributevalue.MarshalMap(storedToken{
		Partition: tokenPartition, Sort: sortToken + t.ID, Name: t.Name, Digest: t.Digest,
		Permissions: t.Permissions, Workspaces: t.Workspaces,
		CreatedAt: t.CreatedAt.UnixMilli(), CreatedBy: t.CreatedBy,
		ValidUntil: milliseconds(t.ExpiresAt), RevokedAt: milliseconds(t.RevokedAt),
	})
	if err != nil {
		return fmt.Errorf("encode token %s: %w", t.ID, err)
	}
	_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           &s.Table,
		Item:                                item,
		ConditionExpression:                 aws.String("attribute_not_exists(" + attrWorkspace + ")"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		// Where the reply to the first try was lost, the second finds its work.
		if d, ok := failed.Item[attrDigest].(*types.AttributeValueMemberS); ok && d.Value == t.Digest {
			return nil
		}
		return fmt.Errorf("create token %s: %w", t.ID, ErrTokenExists)
	}
	if err != nil {
		return fmt.Errorf("create token %s: %w", t.ID, err)
	}
	return nil
}

// Token reads a token, consistently with all writes before.
func (s *Tokens) Token(ctx context.Context, id string) (auth.Token, error) {
	result, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: tokenKey(id), ConsistentRead: aws.Bool(true),
	})
	switch {
	case err != nil:
		return auth.Token{}, fmt.Errorf("read token %s: %w", id, err)
	case len(result.Item) == 0:
		return auth.Token{}, fmt.Errorf("read token %s: %w", id, auth.ErrNoToken)
	}
	return decodeToken(result.Item)
}

// Revoke ends a token from a time on, and gives it as it then is. One that was
// revoked before stays so since then.
func (s *Tokens) Revoke(ctx context.Context, id string, at time.Time) (auth.Token, error) {
	result, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           &s.Table,
		Key:                 tokenKey(id),
		ConditionExpression: aws.String("attribute_exists(" + attrWorkspace + ")"),
		UpdateExpression:    aws.String("SET " + attrRevokedAt + " = if_not_exists(" + attrRevokedAt + ", :now)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(at.UnixMilli(), 10)},
		},
		ReturnValues: types.ReturnValueAllNew,
	})
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		err = auth.ErrNoToken
	}
	if err != nil {
		return auth.Token{}, fmt.Errorf("revoke token %s: %w", id, err)
	}
	return decodeToken(result.Attributes)
}

// List reads all tokens, in the order of their ids.
func (s *Tokens) List(ctx context.Context) ([]auth.Token, error) {
	var tokens []auth.Token
	pages := dynamodb.NewQueryPaginator(s.Client, &dynamodb.QueryInput{
		TableName:                 &s.Table,
		KeyConditionExpression:    aws.String(attrWorkspace + " = :tokens AND begins_with(" + attrSort + ", :token)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":tokens": str(tokenPartition), ":token": str(sortToken)},
		ConsistentRead:            aws.Bool(true),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list tokens: %w", err)
		}
		for _, item := range page.Items {
			t, err := decodeToken(item)
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, t)
		}
	}
	return tokens, nil
}

func tokenKey(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{attrWorkspace: str(tokenPartition), attrSort: str(sortToken + id)}
}

// decodeToken reads a stored token. One that was tampered with, so that Create
// would refuse it, is an error.
func decodeToken(item map[string]types.AttributeValue) (auth.Token, error) {
	var s storedToken
	if err := attributevalue.UnmarshalMap(item, &s); err != nil {
		return auth.Token{}, fmt.Errorf("decode a token: %w", err)
	}
	t := auth.Token{
		ID: strings.TrimPrefix(s.Sort, sortToken), Name: s.Name, Digest: s.Digest,
		Grant:     auth.Grant{Permissions: s.Permissions, Workspaces: s.Workspaces},
		CreatedAt: time.UnixMilli(s.CreatedAt), CreatedBy: s.CreatedBy,
		ExpiresAt: instant(s.ValidUntil), RevokedAt: instant(s.RevokedAt),
	}
	if err := t.Check(); err != nil {
		return auth.Token{}, fmt.Errorf("decode token %s: %w", t.ID, err)
	}
	return t, nil
}

// milliseconds and instant keep the time that is none: 0 in the table.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
