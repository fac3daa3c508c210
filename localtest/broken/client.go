package broken

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Expressions are the parts of a conditional write that a mistake can be in.
type Expressions struct {
	Condition, Update string
	Values            map[string]types.AttributeValue
}

// client is a database client that edits conditional writes on their way.
type client struct {
	ddbstore.Client
	of     func(Expressions) bool
	edit   func(*Expressions)
	showed func(*dynamodb.UpdateItemOutput)
}

// edited makes clients that edit some writes, and perhaps what the store is
// shown afterwards.
func edited(of func(Expressions) bool, edit func(*Expressions), showed func(*dynamodb.UpdateItemOutput)) func(ddbstore.Client) ddbstore.Client {
	return func(c ddbstore.Client) ddbstore.Client { return client{c, of, edit, showed} }
}

// UpdateItem makes the write that is left after the edit.
func (c client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	e := Expressions{*in.ConditionExpression, *in.UpdateExpression, maps.Clone(in.ExpressionAttributeValues)}
	if !c.of(e) {
		return c.Client.UpdateItem(ctx, in, o...)
	}
	c.edit(&e)
	e.prune()
	changed := *in
	changed.ConditionExpression, changed.UpdateExpression, changed.ExpressionAttributeValues = &e.Condition, &e.Update, e.Values
	out, err := c.Client.UpdateItem(ctx, &changed, o...)
	if err == nil && c.showed != nil {
		c.showed(out)
	}
	return out, err
}

var valueNames = regexp.MustCompile(`:\w+`)

// prune drops the values that are not used any more, which DynamoDB refuses.
func (e *Expressions) prune() {
	used := valueNames.FindAllString(e.Condition+" "+e.Update, -1)
	maps.DeleteFunc(e.Values, func(name string, _ types.AttributeValue) bool { return !slices.Contains(used, name) })
}

// What a write does shows in what it sets.
func everything(Expressions) bool { return true }
func acquires(e Expressions) bool { return strings.Contains(e.Update, "st = :held") }
func frees(e Expressions) bool    { return strings.Contains(e.Update, "st = :unlocked") }
func releases(e Expressions) bool { return frees(e) && strings.Contains(e.Condition, "st = :held") }
func forces(e Expressions) bool   { return frees(e) && !releases(e) }

// without leaves conditions out.
func without(conditions ...string) func(*Expressions) {
	return func(e *Expressions) {
		for _, c := range conditions {
			e.Condition = strings.ReplaceAll(e.Condition, " AND "+c, "")
		}
	}
}

// replaced changes a part of the update.
func replaced(from, to string) func(*Expressions) {
	return func(e *Expressions) { e.Update = strings.ReplaceAll(e.Update, from, to) }
}

// put writes a lock over whatever is stored.
func put(ctx context.Context, c ddbstore.Client, table string, l lockmodel.Lock) error {
	var set, remove []string
	values := map[string]types.AttributeValue{}
	for _, a := range []lockmodel.Attr{
		lockmodel.AttrState, lockmodel.AttrHolders, lockmodel.AttrFence, lockmodel.AttrLockID, lockmodel.AttrRunner, lockmodel.AttrPrincipal,
		lockmodel.AttrAcquiredAt, lockmodel.AttrStaleAt, lockmodel.AttrLeaseUntil, lockmodel.AttrChangedAt,
		lockmodel.AttrBy, lockmodel.AttrReason, lockmodel.AttrMarkedBy, lockmodel.AttrFreedBy, lockmodel.AttrSpent,
	} {
		text, number, ok := l.Value(a)
		value := ":" + string(a)
		switch {
		case !ok:
			remove = append(remove, string(a))
			continue
		case text != "":
			values[value] = &types.AttributeValueMemberS{Value: text}
		default:
			values[value] = &types.AttributeValueMemberN{Value: strconv.FormatInt(number, 10)}
		}
		set = append(set, string(a)+" = "+value)
	}
	update := "SET " + strings.Join(set, ", ")
	if len(remove) > 0 {
		update += " REMOVE " + strings.Join(remove, ", ")
	}
	_, err := c.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &table,
		Key:                       map[string]types.AttributeValue{"ws": &types.AttributeValueMemberS{Value: l.Workspace}, "sk": &types.AttributeValueMemberS{Value: "lock"}},
		UpdateExpression:          &update,
		ExpressionAttributeValues: values,
		ReturnValues:              types.ReturnValueAllOld,
	})
	return err
}
