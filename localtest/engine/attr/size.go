package attr

import "strings"

// MaxItemSize is the largest item DynamoDB stores, in bytes, names included.
const MaxItemSize = 400 * 1024

// MaxDepth is how many levels an item may have: its attributes are the first,
// what their lists and maps hold the second, and so on.
const MaxDepth = 32

// A document type costs three bytes, and one more for each element or pair.
const (
	documentOverhead = 3
	elementOverhead  = 1
)

// Size is the number of bytes in UTF-8.
func (v String) Size() int { return len(v) }

// Size is the number of bytes.
func (v Binary) Size() int { return len(v) }

// Size is one byte.
func (Bool) Size() int { return 1 }

// Size is one byte.
func (Null) Size() int { return 1 }

// Size is one byte, one for every two significant digits before the point and
// after it, each rounded up, and one for a minus sign. Zeros in front and at the
// end are not significant. (Measured on the service; the guide rounds
// otherwise.)
func (n Number) Size() int {
	text, negative := strings.CutPrefix(n.text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	switch {
	case whole == "0":
		whole, fraction = "", strings.TrimLeft(fraction, "0")
	case fraction == "":
		whole = strings.TrimRight(whole, "0")
	}
	size := 1 + (len(whole)+1)/2 + (len(fraction)+1)/2
	if negative {
		size++
	}
	return size
}

// Size is that of the members.
func (s Set) Size() int {
	size := 0
	for _, v := range s.members {
		size += v.Size()
	}
	return size
}

// Size is that of the elements, plus overhead.
func (v List) Size() int {
	size := documentOverhead
	for _, elem := range v {
		size += elementOverhead + elem.Size()
	}
	return size
}

// Size is that of the pairs, plus overhead.
func (v Map) Size() int {
	return documentOverhead + elementOverhead*len(v) + v.ItemSize()
}

// ItemSize is the map's size as an item: names and values, no overhead.
func (v Map) ItemSize() int {
	size := 0
	for name, elem := range v {
		size += len(name) + elem.Size()
	}
	return size
}

// Depth is how many levels v has: 1 for a scalar or an empty list or map. An
// item is itself one level more than it counts for MaxDepth.
func Depth(v Value) int {
	inner := 0
	switch v := v.(type) {
	case List:
		for _, elem := range v {
			inner = max(inner, Depth(elem))
		}
	case Map:
		for _, elem := range v {
			inner = max(inner, Depth(elem))
		}
	}
	return 1 + inner
}
