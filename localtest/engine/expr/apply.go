package expr

import (
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// What DynamoDB says when an update does not fit the item it meets.
const (
	errNoAttribute attr.Invalid = "The provided expression refers to an attribute that does not exist in the item"
	errOperandType attr.Invalid = "An operand in the update expression has an incorrect data type"
	errUpdatePath  attr.Invalid = "The document path provided in the update expression is invalid for update"
)

// Apply returns item as a checked update leaves it; item itself stays as it is.
// Every value on the right side of SET is read from the item as it was.
func (p *Params) Apply(u *Update, item attr.Map) (attr.Map, error) {
	var edits []edit
	for _, clause := range u.Clauses {
		for _, action := range clause.Actions {
			target, err := p.resolve(action.Path)
			if err != nil {
				return nil, err
			}
			change, err := p.change(clause.Keyword, action.Value, item)
			if err != nil {
				return nil, err
			}
			edits = append(edits, edit{target, change})
		}
	}
	return editMap(item, edits, 0)
}

// OnlyTakesAway reports an update that can but remove: REMOVE and DELETE.
func (u *Update) OnlyTakesAway() bool {
	return !slices.ContainsFunc(u.Clauses, func(c Clause) bool { return c.Keyword == "SET" || c.Keyword == "ADD" })
}

// change is what an action does to the value at its path.
func (p *Params) change(keyword string, operand Operand, item attr.Map) (change, error) {
	switch keyword {
	case "SET":
		v, err := p.assigned(operand, item)
		return func(attr.Value) (attr.Value, error) { return v, nil }, err
	case "ADD":
		v := p.value(operand, item)
		return func(old attr.Value) (attr.Value, error) { return add(old, v) }, nil
	case "DELETE":
		v := p.value(operand, item)
		return func(old attr.Value) (attr.Value, error) { return without(old, v) }, nil
	default:
		return func(attr.Value) (attr.Value, error) { return nil, nil }, nil
	}
}

// assigned is the value of what SET assigns.
func (p *Params) assigned(o Operand, item attr.Map) (attr.Value, error) {
	switch o := o.(type) {
	case *Sum:
		return p.sum(o, item)
	case *Call:
		if o.Name == "list_append" {
			return p.append(o, item)
		}
		if v := p.find(o.Args[0].(Path), item); v != nil {
			return v, nil
		}
		return p.assigned(o.Args[1], item)
	}
	v := p.value(o, item)
	if v == nil {
		return nil, errNoAttribute
	}
	return v, nil
}

func (p *Params) sum(s *Sum, item attr.Map) (attr.Value, error) {
	left, right, err := assignedAs[attr.Number](p, s.Left, s.Right, item)
	if err != nil {
		return nil, err
	}
	if s.Op == "-" {
		return left.Sub(right)
	}
	return left.Add(right)
}

func (p *Params) append(call *Call, item attr.Map) (attr.Value, error) {
	left, right, err := assignedAs[attr.List](p, call.Args[0], call.Args[1], item)
	if err != nil {
		return nil, err
	}
	return append(slices.Clip(left), right...), nil
}

// assignedAs gives two operands' values, which must be of type T.
func assignedAs[T attr.Value](p *Params, a, b Operand, item attr.Map) (left, right T, err error) {
	var values [2]T
	for i, o := range []Operand{a, b} {
		v, err := p.assigned(o, item)
		if err != nil {
			return left, right, err
		}
		typed, ok := v.(T)
		if !ok {
			return left, right, errOperandType
		}
		values[i] = typed
	}
	return values[0], values[1], nil
}

// add is the ADD action: to a number, or to a set.
func add(old, v attr.Value) (attr.Value, error) {
	switch v := v.(type) {
	case attr.Number:
		switch old := old.(type) {
		case nil:
			return v, nil
		case attr.Number:
			return old.Add(v)
		}
	case attr.Set:
		switch old := old.(type) {
		case nil:
			return v, nil
		case attr.Set:
			if old.Type() == v.Type() {
				return old.Union(v), nil
			}
		}
	}
	return nil, errOperandType
}

// without is the DELETE action; the attribute goes with its set's last member.
func without(old, v attr.Value) (attr.Value, error) {
	if old == nil {
		return nil, nil
	}
	set, ok := old.(attr.Set)
	if !ok || set.Type() != v.Type() {
		return nil, errOperandType
	}
	if rest, ok := set.Minus(v.(attr.Set)); ok {
		return rest, nil
	}
	return nil, nil
}
