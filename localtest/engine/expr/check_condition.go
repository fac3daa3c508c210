package expr

import (
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Limits of the service: values in the list of one IN, operators and functions
// in one expression.
const (
	maxInOperands = 100
	maxOperators  = 300
)

// CheckCondition checks a condition and returns the paths it speaks of,
// resolved.
func (p *Params) CheckCondition(c Condition) ([]Path, error) {
	check := conditionCheck{Params: p}
	err := check.condition(c)
	return check.paths, err
}

// conditionCheck walks a condition from left to right.
type conditionCheck struct {
	*Params
	paths     []Path
	operators int
}

func (c *conditionCheck) condition(cond Condition) error {
	if c.operators++; c.operators > maxOperators {
		return invalidf("The expression contains too many operators; maximum: %d", maxOperators)
	}
	switch cond := cond.(type) {
	case *And:
		return c.both(cond.Left, cond.Right)
	case *Or:
		return c.both(cond.Left, cond.Right)
	case *Not:
		return c.condition(cond.Operand)
	case *Compare:
		return c.compare(cond)
	case *Between:
		return c.between(cond)
	case *In:
		return c.in(cond)
	default:
		return c.predicate(cond.(*Call))
	}
}

func (c *conditionCheck) both(left, right Condition) error {
	if err := c.condition(left); err != nil {
		return err
	}
	return c.condition(right)
}

// operands checks the operands of an operator: of functions only size can be
// one.
func (c *conditionCheck) operands(operands ...Operand) error {
	for _, o := range operands {
		switch o := o.(type) {
		case Path:
			path, err := c.resolve(o)
			if err != nil {
				return err
			}
			c.paths = append(c.paths, path)
		case ValueRef:
			if _, err := c.useValue(o); err != nil {
				return err
			}
		case *Call:
			if err := c.size(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *conditionCheck) size(call *Call) error {
	if _, known := predicates[call.Name]; known {
		return misused(call)
	}
	if call.Name != "size" {
		return unknownFunction(call, "a condition", updateOperands...)
	}
	if err := requireCount(call.Name, call.Args, 1); err != nil {
		return err
	}
	if err := c.operands(call.Args...); err != nil {
		return err
	}
	return c.requireTypes(kindFunction, "size", call.Args, attr.TypeString, attr.TypeBinary,
		attr.TypeStringSet, attr.TypeNumberSet, attr.TypeBinarySet, attr.TypeList, attr.TypeMap)
}

func (c *conditionCheck) compare(cond *Compare) error {
	if err := c.operands(cond.Left, cond.Right); err != nil {
		return err
	}
	if err := c.distinct(cond.Op, cond.Left, cond.Right); err != nil {
		return err
	}
	if cond.Op == "=" || cond.Op == "<>" {
		return nil
	}
	return c.requireTypes(kindOperator, cond.Op, []Operand{cond.Left, cond.Right},
		attr.TypeString, attr.TypeNumber, attr.TypeBinary)
}

// distinct refuses to hold an attribute against itself.
func (c *conditionCheck) distinct(operator string, first Operand, rest ...Operand) error {
	path, ok := first.(Path)
	if !ok {
		return nil
	}
	for _, o := range rest {
		other, ok := o.(Path)
		if !ok || len(path) != len(other) {
			continue
		}
		a, err := c.resolve(path)
		if err != nil {
			return err
		}
		b, err := c.resolve(other)
		if err != nil {
			return err
		}
		if slices.Equal(a, b) {
			return invalidf("The first operand must be distinct from the remaining operands for this operator or function; "+
				"operator: %s, first operand: %s", operator, describe(a))
		}
	}
	return nil
}

func (c *conditionCheck) between(cond *Between) error {
	if err := c.operands(cond.Operand, cond.Low, cond.High); err != nil {
		return err
	}
	if err := c.distinct("BETWEEN", cond.Operand, cond.Low, cond.High); err != nil {
		return err
	}
	if err := c.requireTypes(kindOperator, "BETWEEN", []Operand{cond.Operand, cond.Low, cond.High},
		attr.TypeString, attr.TypeNumber, attr.TypeBinary); err != nil {
		return err
	}
	low, lowGiven := c.given(cond.Low)
	high, highGiven := c.given(cond.High)
	if !lowGiven || !highGiven {
		return nil
	}
	const bounds = "lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s"
	order, comparable := attr.Compare(low, high)
	switch {
	case !comparable:
		return invalidf("The BETWEEN operator requires same data type for lower and upper bounds; "+bounds,
			attr.Describe(low), attr.Describe(high))
	case order > 0:
		return invalidf("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "+bounds,
			attr.Describe(low), attr.Describe(high))
	}
	return nil
}

// given is the value of an operand that is a placeholder.
func (p *Params) given(o Operand) (attr.Value, bool) {
	ref, ok := o.(ValueRef)
	return p.values[string(ref)], ok
}

func (c *conditionCheck) in(cond *In) error {
	if len(cond.List) > maxInOperands {
		return invalidf("The IN operator is provided with too many operands; number of operands: %d", len(cond.List))
	}
	if err := c.operands(cond.Operand); err != nil {
		return err
	}
	if err := c.operands(cond.List...); err != nil {
		return err
	}
	return c.distinct("IN", cond.Operand, cond.List...)
}

// predicates are the functions that are conditions, with their number of
// arguments.
var predicates = map[string]int{
	"attribute_exists":     1,
	"attribute_not_exists": 1,
	"attribute_type":       2,
	"begins_with":          2,
	"contains":             2,
}

func (c *conditionCheck) predicate(call *Call) error {
	count, known := predicates[call.Name]
	if !known {
		if call.Name == "size" {
			return misused(call)
		}
		return unknownFunction(call, "a condition", updateOperands...)
	}
	if err := requireCount(call.Name, call.Args, count); err != nil {
		return err
	}
	if err := c.operands(call.Args...); err != nil {
		return err
	}
	if err := c.distinct(call.Name, call.Args[0], call.Args[1:]...); err != nil {
		return err
	}
	switch call.Name {
	case "attribute_exists", "attribute_not_exists":
		return requirePath(call.Name, call.Args[0])
	case "begins_with":
		return c.requireTypes(kindFunction, call.Name, call.Args, attr.TypeString, attr.TypeBinary)
	case "attribute_type":
		return c.attributeType(call)
	}
	return nil
}

// attributeType wants the name of a type, given as a value.
func (c *conditionCheck) attributeType(call *Call) error {
	v, given := c.given(call.Args[1])
	if !given {
		return invalidf("Incorrect operand type for operator or function; " +
			"operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	}
	if err := c.requireTypes(kindFunction, call.Name, call.Args[1:], attr.TypeString); err != nil {
		return err
	}
	switch t := attr.Type(v.(attr.String)); t {
	case attr.TypeString, attr.TypeNumber, attr.TypeBinary, attr.TypeBool, attr.TypeNull, attr.TypeList,
		attr.TypeMap, attr.TypeStringSet, attr.TypeNumberSet, attr.TypeBinarySet:
		return nil
	default:
		return invalidf("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", t)
	}
}
