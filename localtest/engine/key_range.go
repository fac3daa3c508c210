package engine

import (
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// keyRange is the keys from low up to but not including high, which is empty if
// there is no such end.
type keyRange struct{ low, high string }

// resume narrows the range to what comes after position; a range that is read
// backward has an end.
func (r keyRange) resume(position string, forward bool) keyRange {
	if forward {
		r.low = max(r.low, position+"\x00")
	} else {
		r.high = min(r.high, position)
	}
	return r
}

// after is the first key that is greater than all keys that begin with prefix.
func after(prefix []byte) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xFF {
			next := append([]byte(nil), prefix[:i+1]...)
			next[i]++
			return string(next)
		}
	}
	return ""
}

// keyRange is where the items are that meet the conditions of a query.
func (k keySchema) keyRange(conditions []expr.KeyCondition) (keyRange, error) {
	find := func(name string) *expr.KeyCondition {
		i := slices.IndexFunc(conditions, func(c expr.KeyCondition) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		return &conditions[i]
	}
	hash := find(k.hash.name)
	switch {
	case len(conditions) > 2:
		return keyRange{}, validationf("Conditions can be of length 1 or 2 only")
	case hash == nil:
		return keyRange{}, validationf("Query condition missed key schema element: %s", k.hash.name)
	case hash.Op != "=":
		return keyRange{}, validationf("Query key condition not supported")
	}
	if err := k.hash.checkCondition(hash); err != nil {
		return keyRange{}, err
	}
	prefix := attr.AppendKey(nil, hash.Values[0])
	if len(conditions) == 1 {
		return keyRange{string(prefix), after(prefix)}, nil
	}
	if k.sort.name == "" {
		return keyRange{}, validationf("Query key condition not supported")
	}
	sort := find(k.sort.name)
	if sort == nil {
		return keyRange{}, validationf("Query condition missed key schema element: %s", k.sort.name)
	}
	if err := k.sort.checkCondition(sort); err != nil {
		return keyRange{}, err
	}
	return sortRange(prefix, sort), nil
}

// checkCondition refuses values of another type than the key attribute's.
func (a keyAttribute) checkCondition(c *expr.KeyCondition) error {
	for _, v := range c.Values {
		if v.Type() != a.typ {
			return validationf("One or more parameter values were invalid: " +
				"Condition parameter type does not match schema type")
		}
		if a.typ != attr.TypeNumber && v.Size() == 0 {
			return emptyKey(a)
		}
	}
	return nil
}

// sortRange narrows the partition under prefix to what meets a condition on the
// sort key.
func sortRange(prefix []byte, c *expr.KeyCondition) keyRange {
	key := func(v attr.Value) []byte { return attr.AppendKey(slices.Clone(prefix), v) }
	all := keyRange{string(prefix), after(prefix)}
	first := key(c.Values[0])
	switch c.Op {
	case "<":
		return keyRange{all.low, string(first)}
	case "<=":
		return keyRange{all.low, after(first)}
	case ">":
		return keyRange{after(first), all.high}
	case ">=":
		return keyRange{string(first), all.high}
	case "BETWEEN":
		return keyRange{string(first), after(key(c.Values[1]))}
	case "begins_with":
		first = attr.AppendKeyPrefix(slices.Clone(prefix), c.Values[0])
	}
	return keyRange{string(first), after(first)}
}

// checkStart refuses to go on from a key that the query could not have led to.
func (k keySchema) checkStart(start attr.Map, position string, keys keyRange, conditions []expr.KeyCondition) error {
	if position >= keys.low && position < keys.high {
		return nil
	}
	for _, c := range conditions {
		if c.Name == k.hash.name && !attr.Equal(start[c.Name], c.Values[0]) || len(conditions) == 1 {
			return validationf("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	return validationf("The provided starting key does not match the range key predicate")
}
