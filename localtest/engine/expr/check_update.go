package expr

import (
	"maps"
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// CheckUpdate checks an update and returns the paths it changes, resolved, in
// the order of its actions.
func (p *Params) CheckUpdate(u *Update) ([]Path, error) {
	var targets []Path
	seen := map[string]bool{}
	for _, clause := range u.Clauses {
		if seen[clause.Keyword] {
			return nil, invalidf(`The "%s" section can only be used once in an update expression;`, clause.Keyword)
		}
		seen[clause.Keyword] = true
		for _, action := range clause.Actions {
			target, err := p.resolve(action.Path)
			if err != nil {
				return nil, err
			}
			targets = append(targets, target)
			if err := p.checkValue(clause.Keyword, action.Value); err != nil {
				return nil, err
			}
		}
	}
	return targets, checkOverlap(targets)
}

func (p *Params) checkValue(keyword string, v Operand) error {
	switch keyword {
	case "SET":
		return p.checkAssigned(v)
	case "ADD":
		return p.checkSetOrNumber(keyword, v.(ValueRef), attr.TypeNumber)
	case "DELETE":
		return p.checkSetOrNumber(keyword, v.(ValueRef), "")
	}
	return nil // REMOVE has none
}

// checkSetOrNumber checks the value of ADD and DELETE: a set, or of the type
// that is also allowed.
func (p *Params) checkSetOrNumber(keyword string, ref ValueRef, also attr.Type) error {
	v, err := p.useValue(ref)
	if err != nil {
		return err
	}
	if _, ok := v.(attr.Set); ok || v.Type() == also {
		return nil
	}
	return invalidf("Incorrect operand type for operator or function; operator: %s, operand type: %s, "+
		"typeSet: ALLOWED_FOR_%s_OPERAND", keyword, longTypeNames[v.Type()], keyword)
}

// longTypeNames are the names that some messages use for types.
var longTypeNames = map[attr.Type]string{
	attr.TypeString: "STRING",
	attr.TypeNumber: "NUMBER",
	attr.TypeBinary: "BINARY",
	attr.TypeBool:   "BOOLEAN",
	attr.TypeNull:   "NULL",
	attr.TypeList:   "LIST",
	attr.TypeMap:    "MAP",
}

// checkAssigned checks what SET assigns.
func (p *Params) checkAssigned(o Operand) error {
	switch o := o.(type) {
	case Path:
		_, err := p.resolve(o)
		return err
	case ValueRef:
		_, err := p.useValue(o)
		return err
	case *Sum:
		if err := p.checkAllAssigned(o.Left, o.Right); err != nil {
			return err
		}
		return p.requireTypes(kindFunction, o.Op, []Operand{o.Left, o.Right}, attr.TypeNumber)
	case *Call:
		return p.checkUpdateCall(o)
	}
	return nil
}

func (p *Params) checkAllAssigned(operands ...Operand) error {
	for _, o := range operands {
		if err := p.checkAssigned(o); err != nil {
			return err
		}
	}
	return nil
}

func (p *Params) checkUpdateCall(call *Call) error {
	if !slices.Contains(updateOperands, call.Name) {
		elsewhere := slices.AppendSeq(slices.Clone(conditionOperands), maps.Keys(predicates))
		return unknownFunction(call, "an update", elsewhere...)
	}
	if err := requireCount(call.Name, call.Args, 2); err != nil {
		return err
	}
	if err := p.checkAllAssigned(call.Args...); err != nil {
		return err
	}
	for _, arg := range call.Args {
		// The service takes if_not_exists as an argument, but not list_append.
		if inner, ok := arg.(*Call); ok && inner.Name == "list_append" {
			return misused(inner)
		}
	}
	if call.Name == "if_not_exists" {
		return requirePath(call.Name, call.Args[0])
	}
	return p.requireTypes(kindFunction, call.Name, call.Args, attr.TypeList)
}
