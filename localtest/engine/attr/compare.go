package attr

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf16"
)

// Equal reports whether a and b are the same value of the same type. Sets
// compare without order, numbers by value.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case List:
		b, ok := b.(List)
		return ok && slices.EqualFunc(a, b, Equal)
	case Map:
		b, ok := b.(Map)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if w, ok := b[name]; !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case Set:
		b, ok := b.(Set)
		return ok && a.typ == b.typ && slices.EqualFunc(a.members, b.members, Equal)
	default:
		// Scalars are comparable Go values in canonical form. The other side
		// must be tested first: comparing two interfaces that hold a slice
		// would panic.
		return a.Type() == b.Type() && a == b
	}
}

// Compare orders two values as <, BETWEEN and sort keys do. Only strings,
// numbers and binaries have an order, and only among their own type; ok is
// false for the rest.
func Compare(a, b Value) (order int, ok bool) {
	switch a.(type) {
	case String, Number, Binary:
		if a.Type() == b.Type() {
			return compareScalars(a, b), true
		}
	}
	return 0, false
}

// compareScalars orders two strings, numbers or binaries of one type. Go
// compares strings byte by byte, which is DynamoDB's order for UTF-8 text and
// unsigned bytes alike.
func compareScalars(a, b Value) int {
	switch a := a.(type) {
	case String:
		return cmp.Compare(a, b.(String))
	case Binary:
		return cmp.Compare(a, b.(Binary))
	default:
		return a.(Number).Compare(b.(Number))
	}
}

// Contains reports whether v, a string, binary, set or list, holds part: as a
// substring, as a member or as an element.
func Contains(v, part Value) bool {
	switch v := v.(type) {
	case String:
		part, ok := part.(String)
		return ok && strings.Contains(string(v), string(part))
	case Binary:
		part, ok := part.(Binary)
		return ok && strings.Contains(string(v), string(part))
	case Set:
		return v.Has(part)
	case List:
		return slices.ContainsFunc(v, func(elem Value) bool { return Equal(elem, part) })
	}
	return false
}

// HasPrefix reports whether v and prefix are both strings or both binaries and
// v begins with prefix.
func HasPrefix(v, prefix Value) bool {
	switch v := v.(type) {
	case String:
		prefix, ok := prefix.(String)
		return ok && strings.HasPrefix(string(v), string(prefix))
	case Binary:
		prefix, ok := prefix.(Binary)
		return ok && strings.HasPrefix(string(v), string(prefix))
	}
	return false
}

// Len is what the size() function of an expression gives: the length of a
// string in UTF-16 code units, as the service counts it, of a binary in bytes,
// or the number of elements. Numbers, booleans and null have none.
func Len(v Value) (n int, ok bool) {
	switch v := v.(type) {
	case String:
		for _, r := range v {
			n += utf16.RuneLen(r)
		}
		return n, true
	case Binary:
		return len(v), true
	case List:
		return len(v), true
	case Map:
		return len(v), true
	case Set:
		return len(v.members), true
	}
	return 0, false
}

// scalarText is how messages show a string, number or binary.
func scalarText(v Value) string {
	switch v := v.(type) {
	case String:
		return string(v)
	case Binary:
		return base64.StdEncoding.EncodeToString([]byte(v))
	default:
		return v.(Number).text
	}
}

// Describe is how messages show a string, number or binary: {N:1}.
func Describe(v Value) string {
	return "{" + string(v.Type()) + ":" + scalarText(v) + "}"
}
