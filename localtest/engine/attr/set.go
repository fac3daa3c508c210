package attr

import (
	"slices"
	"strings"
)

// Set is a string set, number set or binary set. It has at least one member;
// members are of one scalar type, distinct and sorted, so that equal sets are
// equal slices.
type Set struct {
	typ     Type
	members []Value
}

// setOf maps a set's type to that of its members.
var setOf = map[Type]Type{
	TypeStringSet: TypeString,
	TypeNumberSet: TypeNumber,
	TypeBinarySet: TypeBinary,
}

// NewSet makes a set of typ from members in any order. It keeps the slice.
func NewSet(typ Type, members []Value) (Set, error) {
	if len(members) == 0 {
		return Set{}, emptySet[typ]
	}
	given := slices.Clone(members)
	slices.SortFunc(members, compareScalars)
	for i := 1; i < len(members); i++ {
		if compareScalars(members[i-1], members[i]) == 0 {
			return Set{}, duplicates(typ, given)
		}
	}
	return Set{typ, members}, nil
}

// emptySet is what DynamoDB says of a set without members, word for word.
var emptySet = map[Type]Invalid{
	TypeStringSet: "One or more parameter values were invalid: An string set  may not be empty",
	TypeNumberSet: "One or more parameter values were invalid: An number set  may not be empty",
	TypeBinarySet: "One or more parameter values were invalid: Binary sets should not be empty",
}

func duplicates(typ Type, given []Value) error {
	if typ == TypeNumberSet {
		return Invalid("Input collection contains duplicates")
	}
	texts := make([]string, len(given))
	for i, v := range given {
		texts[i] = scalarText(v)
	}
	list := "One or more parameter values were invalid: Input collection [" + strings.Join(texts, ", ") + "]"
	if typ == TypeBinarySet {
		return Invalid(list + "of type BS contains duplicates.")
	}
	return Invalid(list + " contains duplicates.")
}

// Type is the set's type.
func (s Set) Type() Type { return s.typ }

// Members are the set's members in order; not to be changed.
func (s Set) Members() []Value { return s.members }

// Has reports whether v is a member.
func (s Set) Has(v Value) bool {
	if v.Type() != setOf[s.typ] {
		return false
	}
	_, found := slices.BinarySearchFunc(s.members, v, compareScalars)
	return found
}

// Union returns the members of s and of other, a set of the same type.
func (s Set) Union(other Set) Set {
	all := slices.Concat(s.members, other.members)
	slices.SortFunc(all, compareScalars)
	same := func(a, b Value) bool { return compareScalars(a, b) == 0 }
	return Set{s.typ, slices.CompactFunc(all, same)}
}

// Minus returns the members of s that other has not. When none is left there is
// no set, for a set is never empty.
func (s Set) Minus(other Set) (rest Set, ok bool) {
	rest.typ = s.typ
	for _, v := range s.members {
		if !other.Has(v) {
			rest.members = append(rest.members, v)
		}
	}
	return rest, len(rest.members) > 0
}
