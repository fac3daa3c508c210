package engine_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/statelock/statelock/localtest/engine"
)

// compareKeys orders sort keys the plain way: text and bytes byte by byte,
// numbers as fractions.
func compareKeys(a, b any) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	}
	fraction := func(v any) *big.Rat {
		r, _ := new(big.Rat).SetString(string(v.(num)))
		return r
	}
	return fraction(a).Cmp(fraction(b))
}

func startsWith(v, prefix any) bool {
	switch v := v.(type) {
	case string:
		return strings.HasPrefix(v, prefix.(string))
	case []byte:
		return bytes.HasPrefix(v, prefix.([]byte))
	}
	return false
}

// sortKeys draws sort keys of one type, close enough to each other to meet.
func sortKeys(typ types.ScalarAttributeType) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch typ {
		case types.ScalarAttributeTypeS:
			return rapid.StringMatching(`[a-b\x00é]{1,3}`).Draw(t, "text")
		case types.ScalarAttributeTypeB:
			return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 254, 255}), 1, 3).Draw(t, "bytes")
		}
		return num(rapid.StringMatching(`-?(0|[1-9][0-9]{0,2})(\.[0-9]{0,2}[1-9])?(E-?[0-3])?`).Draw(t, "number"))
	})
}

// twin answers a query by looking at every item.
type twin []item

func (w twin) query(pk, op string, operands []any) []any {
	var found []any
	for _, it := range w {
		sk := it["sk"]
		ok := it["pk"] == pk
		switch op {
		case "=", "<", "<=", ">", ">=":
			order := compareKeys(sk, operands[0])
			ok = ok && map[string]bool{"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]
		case "BETWEEN":
			ok = ok && compareKeys(sk, operands[0]) >= 0 && compareKeys(sk, operands[1]) <= 0
		case "begins_with":
			ok = ok && startsWith(sk, operands[0])
		}
		if ok {
			found = append(found, sk)
		}
	}
	slices.SortFunc(found, compareKeys)
	return found
}

// Queries give what looking at every item gives, in order, in one page or in
// many, forward or backward.
func TestQueryAgreesWithItsTwin(t *testing.T) {
	t.Parallel()
	for _, typ := range []types.ScalarAttributeType{"S", "N", "B"} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { checkAgainstTwin(t, rt, typ) })
		})
	}
}

func checkAgainstTwin(t *testing.T, rt *rapid.T, typ types.ScalarAttributeType) {
	db := engine.New().Client()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: define("pk:S", "sk:"+string(typ)), KeySchema: keys("pk", "sk"),
	})
	if err != nil {
		rt.Fatal(err)
	}
	var all twin
	for _, sk := range rapid.SliceOfN(sortKeys(typ), 0, 12).Draw(rt, "sort keys") {
		it := item{"pk": rapid.SampledFrom([]string{"a", "a\x00", "b"}).Draw(rt, "partition"), "sk": sk}
		put(t, db, it)
		same := func(o item) bool { return o["pk"] == it["pk"] && compareKeys(o["sk"], sk) == 0 }
		all = append(slices.DeleteFunc(all, same), it)
	}

	ops := []string{"", "=", "<", "<=", ">", ">=", "BETWEEN"}
	if typ != types.ScalarAttributeTypeN {
		ops = append(ops, "begins_with")
	}
	op := rapid.SampledFrom(ops).Draw(rt, "operator")
	operands := []any{sortKeys(typ).Draw(rt, "operand"), sortKeys(typ).Draw(rt, "other operand")}
	slices.SortFunc(operands, compareKeys)
	in := &dynamodb.QueryInput{TableName: aws.String(tableName)}
	values := item{":pk": "a", ":x": operands[0], ":y": operands[1]}
	switch op {
	case "":
		in.KeyConditionExpression = aws.String("pk = :pk")
		delete(values, ":x")
	case "BETWEEN":
		in.KeyConditionExpression = aws.String("pk = :pk AND sk BETWEEN :x AND :y")
	case "begins_with":
		in.KeyConditionExpression = aws.String("pk = :pk AND begins_with(sk, :x)")
	default:
		in.KeyConditionExpression = aws.String("pk = :pk AND sk " + op + " :x")
	}
	if op != "BETWEEN" {
		delete(values, ":y")
	}
	in.ExpressionAttributeValues = values.sdk()
	if limit := rapid.Int32Range(0, 3).Draw(rt, "limit"); limit > 0 {
		in.Limit = aws.Int32(limit)
	}
	forward := rapid.Bool().Draw(rt, "forward")
	in.ScanIndexForward = aws.Bool(forward)

	want := all.query("a", op, operands)
	if !forward {
		slices.Reverse(want)
	}
	var got []any
	for pages := dynamodb.NewQueryPaginator(db, in); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		for _, it := range plainAll(page.Items) {
			got = append(got, it["sk"])
		}
	}
	if !slices.EqualFunc(got, want, func(a, b any) bool { return compareKeys(a, b) == 0 }) {
		rt.Fatalf("of %q\n%s %s\n got %q\nwant %q", all, *in.KeyConditionExpression, fmt.Sprint(operands), got, want)
	}
}
