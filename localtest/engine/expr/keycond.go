package expr

import "github.com/statelock/statelock/localtest/engine/attr"

// KeyCondition is what a query demands of one key attribute.
type KeyCondition struct {
	Name   string
	Op     string       // = < <= > >= BETWEEN begins_with
	Values []attr.Value // two for BETWEEN, else one
}

// KeyConditions takes a checked key condition apart: conditions on single
// attributes, joined by AND. Whether they fit a key schema is not its business.
func (p *Params) KeyConditions(c Condition) ([]KeyCondition, error) {
	switch c := c.(type) {
	case *And:
		left, err := p.KeyConditions(c.Left)
		if err != nil {
			return nil, err
		}
		right, err := p.KeyConditions(c.Right)
		if err != nil {
			return nil, err
		}
		return mergeKeyConditions(left, right)
	case *Compare:
		return p.keyComparison(c)
	case *Between:
		return p.keyCondition("BETWEEN", c.Operand, c.Low, c.High)
	case *Or:
		return nil, invalidKeyOperator("OR")
	case *Not:
		return nil, invalidKeyOperator("NOT")
	case *In:
		return nil, invalidKeyOperator("IN")
	default:
		call := c.(*Call)
		if call.Name != "begins_with" {
			return nil, invalidKeyOperator(call.Name)
		}
		return p.keyCondition(call.Name, call.Args[0], call.Args[1])
	}
}

func invalidKeyOperator(op string) error {
	return invalidf("Invalid operator used in KeyConditionExpression: %s", op)
}

func mergeKeyConditions(left, right []KeyCondition) ([]KeyCondition, error) {
	for _, a := range left {
		for _, b := range right {
			if a.Name == b.Name {
				return nil, attr.Invalid("KeyConditionExpressions must only contain one condition per key")
			}
		}
	}
	return append(left, right...), nil
}

// mirrored is the comparison that says the same with its sides exchanged.
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (p *Params) keyComparison(c *Compare) ([]KeyCondition, error) {
	if c.Op == "<>" {
		return nil, invalidKeyOperator("<>")
	}
	if _, ok := c.Left.(ValueRef); ok {
		return p.keyCondition(mirrored[c.Op], c.Right, c.Left)
	}
	return p.keyCondition(c.Op, c.Left, c.Right)
}

func (p *Params) keyCondition(op string, key Operand, operands ...Operand) ([]KeyCondition, error) {
	for _, o := range append([]Operand{key}, operands...) {
		if _, ok := o.(*Call); ok {
			return nil, attr.Invalid("KeyConditionExpressions cannot contain nested operations")
		}
	}
	path, ok := key.(Path)
	switch {
	case !ok && (op == "BETWEEN" || op == "begins_with"):
		return nil, invalidf("Invalid condition in KeyConditionExpression: "+
			"%s operator must have the key attribute as its first operand", op)
	case !ok:
		return nil, attr.Invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	case len(path) > 1:
		return nil, attr.Invalid("KeyConditionExpressions cannot have conditions on nested attributes")
	}
	condition := KeyCondition{Name: p.name(path[0]), Op: op}
	for _, o := range operands {
		v, given := p.given(o)
		if !given {
			return nil, attr.Invalid("Invalid condition in KeyConditionExpression: " +
				"Multiple attribute names used in one condition")
		}
		condition.Values = append(condition.Values, v)
	}
	return []KeyCondition{condition}, nil
}
