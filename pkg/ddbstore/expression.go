package ddbstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// expression is a conditional write of the table in DynamoDB's language.
type expression struct {
	condition string
	update    string
	operands  []lockmodel.Operand
}

// operandZero is what a count that is missing starts from.
const operandZero = lockmodel.Operand(":0")

// shape is all of a request that its expression depends on.
type shape struct {
	op                     lockmodel.Op
	lockID, runner, reason bool
	lease, notice, maxHold bool
	info, credential       bool
	lapsed                 bool
	version, serial        bool
	restore                bool
}

var rendered sync.Map // shape → expression

// render gives the expression for a request, rendering it at its first use.
func render(r lockmodel.Request) expression {
	of := shape{
		op:     r.Op,
		lockID: r.LockID != "", runner: r.Runner != "", reason: r.Reason != "",
		lease: r.Lease > 0, notice: r.Terms.Notice > 0, maxHold: r.Terms.MaxHold > 0,
		info: r.Info != "", credential: r.Credential != "",
		lapsed:  r.Lapsed,
		version: r.Version != "", serial: r.Serial != lockmodel.Missing,
		restore: r.Restore,
	}
	if e, ok := rendered.Load(of); ok {
		return e.(expression)
	}
	e := renderWrite(lockmodel.WriteFor(r))
	rendered.Store(of, e)
	return e
}

func renderWrite(w lockmodel.Write) expression {
	var e expression
	var alternatives []string
	for _, all := range w.When {
		var parts []string
		for _, c := range all {
			parts = append(parts, e.cond(c))
		}
		alternatives = append(alternatives, strings.Join(parts, " AND "))
	}
	e.condition = alternatives[0]
	if len(alternatives) > 1 {
		e.condition = "(" + strings.Join(alternatives, ") OR (") + ")"
	}
	var sets, removes []string
	for _, c := range w.Changes {
		if c.Verb == lockmodel.Remove {
			removes = append(removes, string(c.Attr))
			continue
		}
		sets = append(sets, e.change(c))
	}
	e.update = "SET " + strings.Join(sets, ", ")
	if len(removes) > 0 {
		e.update += " REMOVE " + strings.Join(removes, ", ")
	}
	return e
}

func (e *expression) cond(c lockmodel.Cond) string {
	switch c.Test {
	case lockmodel.Absent:
		return "attribute_not_exists(" + attrWorkspace + ")"
	case lockmodel.NotAtLeast:
		return fmt.Sprintf("(NOT %s >= %s)", c.Attr, e.use(c.Want))
	}
	comparator := map[lockmodel.Test]string{
		lockmodel.Equal: "=", lockmodel.NotEqual: "<>", lockmodel.AtLeast: ">=", lockmodel.AtMost: "<=", lockmodel.Above: ">",
	}[c.Test]
	return fmt.Sprintf("%s %s %s", c.Attr, comparator, e.use(c.Want))
}

func (e *expression) change(c lockmodel.Change) string {
	switch c.Verb {
	case lockmodel.Add:
		return fmt.Sprintf("%s = if_not_exists(%s, %s) + %s", c.Attr, c.Attr, e.use(operandZero), e.use(c.To))
	case lockmodel.Subtract:
		return fmt.Sprintf("%s = %s - %s", c.Attr, c.Attr, e.use(c.To))
	case lockmodel.Copy:
		return fmt.Sprintf("%s = %s", c.Attr, c.From)
	case lockmodel.Fill:
		return fmt.Sprintf("%s = if_not_exists(%s, %s)", c.Attr, c.Attr, e.use(c.To))
	case lockmodel.Recall:
		return fmt.Sprintf("%s = if_not_exists(%s, %s)", c.Attr, c.From, e.use(c.To))
	case lockmodel.Prolong:
		return fmt.Sprintf("%s = %s + if_not_exists(%s, %s)", c.Attr, e.use(c.To), c.From, e.use(lockmodel.OpNever))
	}
	return fmt.Sprintf("%s = %s", c.Attr, e.use(c.To))
}

// use notes that the expression names o, once: DynamoDB refuses a value that
// no expression uses.
func (e *expression) use(o lockmodel.Operand) lockmodel.Operand {
	if !slices.Contains(e.operands, o) {
		e.operands = append(e.operands, o)
	}
	return o
}

// values gives the operands their values for a request.
func (e expression) values(r lockmodel.Request) map[string]types.AttributeValue {
	values := make(map[string]types.AttributeValue, len(e.operands))
	for _, o := range e.operands {
		switch v := o.Value(r).(type) {
		case int64:
			values[string(o)] = &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
		case string:
			values[string(o)] = str(v)
		}
	}
	return values
}
