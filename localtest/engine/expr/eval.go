package expr

import "github.com/statelock/statelock/localtest/engine/attr"

// Eval reports whether item makes a checked condition true. A nil item is one
// that does not exist: it has no attributes.
func (p *Params) Eval(c Condition, item attr.Map) bool {
	switch c := c.(type) {
	case *And:
		return p.Eval(c.Left, item) && p.Eval(c.Right, item)
	case *Or:
		return p.Eval(c.Left, item) || p.Eval(c.Right, item)
	case *Not:
		return !p.Eval(c.Operand, item)
	case *Compare:
		return compare(c.Op, p.value(c.Left, item), p.value(c.Right, item))
	case *Between:
		v := p.value(c.Operand, item)
		return compare(">=", v, p.value(c.Low, item)) && compare("<=", v, p.value(c.High, item))
	case *In:
		v := p.value(c.Operand, item)
		for _, o := range c.List {
			if compare("=", v, p.value(o, item)) {
				return true
			}
		}
		return false
	default:
		return p.predicate(c.(*Call), item)
	}
}

// value is an operand's value, nil if an attribute is missing or has no size.
func (p *Params) value(o Operand, item attr.Map) attr.Value {
	switch o := o.(type) {
	case Path:
		return p.find(o, item)
	case ValueRef:
		return p.values[string(o)]
	default: // size, the only function that Check lets through
		if v := p.value(o.(*Call).Args[0], item); v != nil {
			if n, ok := attr.Len(v); ok {
				return attr.Int(n)
			}
		}
		return nil
	}
}

// compare holds two values against each other. A missing one is equal to
// nothing, so <> is true of it and every other relation false; the same goes
// for values of different types.
func compare(op string, a, b attr.Value) bool {
	if a == nil || b == nil {
		return op == "<>"
	}
	switch op {
	case "=":
		return attr.Equal(a, b)
	case "<>":
		return !attr.Equal(a, b)
	}
	order, ok := attr.Compare(a, b)
	if !ok {
		return false
	}
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

func (p *Params) predicate(call *Call, item attr.Map) bool {
	v := p.value(call.Args[0], item)
	if call.Name == "attribute_not_exists" {
		return v == nil
	}
	if v == nil {
		return false
	}
	if call.Name == "attribute_exists" {
		return true
	}
	arg := p.value(call.Args[1], item)
	if arg == nil {
		return false
	}
	switch call.Name {
	case "attribute_type":
		return string(v.Type()) == string(arg.(attr.String))
	case "begins_with":
		return attr.HasPrefix(v, arg)
	default:
		return attr.Contains(v, arg)
	}
}
