package differential

import (
	"maps"
	"strings"
)

// object is a JSON object of a request or an answer.
type object = map[string]any

var (
	texts    = []string{"a", "b", "ab", "abc", "", "é", "𝄞", "a\x00", "1", "S"}
	binaries = []string{"YQ==", "YWI=", "YWJj", "", "AA==", "/w==", "/wA="}
	digits38 = strings.Repeat("1234567890", 4)[:38]
	numbers  = []string{
		"1", "2", "0", "-1", "10", "1.5", "0.1", "-2.5", "100",
		// the same numbers, otherwise spelt
		"-0", "0.0", "1.0", "01", "+1", "1e2", "1E-1", "10e-1", ".5", "5.", "-0e7",
		// at the limits, inside and outside
		digits38, "-" + digits38, "0." + digits38, digits38 + "0", digits38 + "1", "0." + digits38 + "1",
		"1E125", "-1E125", "9.9999999999999999999999999999999999999E+125", "1E126", "-1E126",
		"1E-130", "-1E-130", "1E-131", "1.5E-130", "0E200", "1E999", "1E-999",
		"99999999999999999999999999999999999999", "1E38", "1E37",
	}
	invalidValues = []object{
		{},
		{"S": "a", "N": "1"},
		{"N": "one"},
		{"N": ""},
		{"N": "1 "},
		{"N": "NaN"},
		{"SS": []any{}},
		{"NS": []any{}},
		{"SS": []any{"a", "a"}},
		{"NS": []any{"1", "1.0"}},
		{"BS": []any{"YQ==", "YQ=="}},
		{"NS": []any{"x"}},
		{"NULL": false},
		{"N": 1},
		{"B": "!"},
		{"S": 1},
		{"BOOL": "true"},
		{"BOOL": "maybe"},
		{"X": "a"},
		{"L": []any{object{}}},
		{"M": object{"x": object{"N": "one"}}},
	}
	types = []string{"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}
)

func (g *draws) number() string {
	if g.oneIn(3) {
		return pick(g, numbers...)
	}
	return pick(g, numbers[:9]...)
}

// value is any attribute value, once in a while an invalid one.
func (g *draws) value() object {
	if g.oneIn(60) {
		return pick(g, invalidValues...)
	}
	return g.valueOf(pick(g, types...), 2)
}

// valueOf is a valid value of a type, with documents of up to depth levels.
func (g *draws) valueOf(typ string, depth int) object {
	switch typ {
	case "S":
		return object{typ: pick(g, texts...)}
	case "N":
		return object{typ: g.number()}
	case "B":
		return object{typ: pick(g, binaries...)}
	case "BOOL":
		return object{typ: !g.oneIn(2)}
	case "NULL":
		return object{typ: true}
	case "SS":
		return object{typ: members(g, texts)}
	case "NS":
		return object{typ: members(g, numbers[:9])}
	case "BS":
		return object{typ: members(g, binaries)}
	case "L":
		list := []any{}
		for range g.below(4) {
			list = append(list, g.element(depth))
		}
		return object{typ: list}
	default:
		m := object{}
		for _, name := range []string{"x", "y"} {
			if g.below(3) > 0 {
				m[name] = g.element(depth)
			}
		}
		return object{"M": m}
	}
}

// element is a value inside a document.
func (g *draws) element(depth int) object {
	if depth == 0 {
		return g.valueOf(pick(g, types[:8]...), 0)
	}
	return g.valueOf(pick(g, types...), depth-1)
}

// members are one to three distinct ones of all.
func members(g *draws, all []string) []any {
	first, set := g.below(len(all)), []any{}
	for i := range 1 + g.below(3) {
		set = append(set, all[(first+i)%len(all)])
	}
	return set
}

// attributes are the names, outside of keys, that items and expressions use;
// the last is a reserved word.
var attributes = []string{"a", "b", "c", "d", "status"}

// item is an item with the given key: valid, but for its numbers.
func (g *draws) item(key object) object {
	item := object{}
	for _, name := range attributes {
		if g.below(3) > 0 {
			item[name] = g.valueOf(pick(g, types...), 2)
		}
	}
	maps.Copy(item, key)
	return item
}
