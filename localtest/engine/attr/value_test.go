package attr

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scalars draws strings, numbers and binaries.
func scalars() *rapid.Generator[Value] {
	return rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) Value { return String(s) }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) Value { return Binary(b) }),
		rapid.Custom(func(t *rapid.T) Value { return parsed(t, numerals().Draw(t, "number")) }),
	)
}

// values draws values of every type, nested up to depth.
func values(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		kinds := []Type{TypeString, TypeBool, TypeNull, TypeStringSet, TypeNumberSet, TypeBinarySet}
		if depth > 0 {
			kinds = append(kinds, TypeList, TypeMap)
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "type"); kind {
		case TypeString:
			return scalars().Draw(t, "scalar")
		case TypeBool:
			return Bool(rapid.Bool().Draw(t, "bool"))
		case TypeNull:
			return Null{}
		case TypeList:
			return List(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list"))
		case TypeMap:
			return Map(rapid.MapOfN(rapid.String(), values(depth-1), 0, 3).Draw(t, "map"))
		default:
			return sets(kind).Draw(t, "set")
		}
	})
}

func sets(kind Type) *rapid.Generator[Set] {
	return rapid.Custom(func(t *rapid.T) Set {
		member := scalars().Filter(func(v Value) bool { return v.Type() == setOf[kind] })
		key := func(v Value) string { return scalarText(v) }
		set, err := NewSet(kind, rapid.SliceOfNDistinct(member, 1, 5, key).Draw(t, "members"))
		if err != nil {
			t.Fatal(err)
		}
		return set
	})
}

// What is written as JSON reads back as the same value, and is JSON to others.
func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		item := Map(rapid.MapOfN(rapid.String(), values(3), 0, 4).Draw(t, "item"))
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		var back Map
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !Equal(item, back) {
			t.Fatalf("%s read back as %s", text, back.AppendJSON(nil))
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, text, " ", "\t"); err != nil {
			t.Fatal(err)
		}
		if err := back.UnmarshalJSON(spaced.Bytes()); err != nil || !Equal(item, back) {
			t.Fatalf("%s with white space: %v", text, err)
		}
	})
}

// The bytes that AppendKey gives sort as the values do, and none begins with
// another's.
func TestKeysSortAsValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := scalars().Draw(t, "a")
		b := scalars().Filter(func(v Value) bool { return v.Type() == a.Type() }).Draw(t, "b")
		keyA, keyB := AppendKey(nil, a), AppendKey(nil, b)
		want, _ := Compare(a, b)
		if got := bytes.Compare(keyA, keyB); got != want {
			t.Fatalf("%v ? %v: keys compare as %d, values as %d", a, b, got, want)
		}
		if want != 0 && (bytes.HasPrefix(keyA, keyB) || bytes.HasPrefix(keyB, keyA)) {
			t.Fatalf("the key of one of %v, %v begins with the other's", a, b)
		}
		if a.Type() != TypeNumber {
			prefix := AppendKeyPrefix(nil, b)
			if got, want := bytes.HasPrefix(keyA, prefix), HasPrefix(a, b); got != want {
				t.Fatalf("%q begins with %q: keys say %v, values %v", a, b, got, want)
			}
		}
	})
}

func TestInputErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text    string
		invalid string // what an Invalid says; empty for text of the wrong shape
	}{
		{`{"a":{}}`, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
		{`{"a":{"X":"1"}}`, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
		{`{"a":{"NULL":false}}`, "One or more parameter values were invalid: Null attribute value types must have the value of true"},
		{`{"a":{"S":null}}`, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
		{`{"a":{"S":"1","N":"1"}}`, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"},
		{`{"a":{"N":"one"}}`, "The parameter cannot be converted to a numeric value: one"},
		{`{"a":{"SS":[]}}`, "One or more parameter values were invalid: An string set  may not be empty"},
		{`{"a":{"NS":[]}}`, "One or more parameter values were invalid: An number set  may not be empty"},
		{`{"a":{"BS":[]}}`, "One or more parameter values were invalid: Binary sets should not be empty"},
		{`{"a":{"SS":["x","y","x"]}}`, "One or more parameter values were invalid: Input collection [x, y, x] contains duplicates."},
		{`{"a":{"NS":["1","1.0"]}}`, "Input collection contains duplicates"},
		{`{"a":{"BS":["YQ==","YQ=="]}}`, "One or more parameter values were invalid: Input collection [YQ==, YQ==]of type BS contains duplicates."},
		{`{"a":{"L":[{"M":{"b":{"N":"x"}}}]}}`, "The parameter cannot be converted to a numeric value: x"},
		{`{"a":{"L":[{"S":"ok"},{}]}}`, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
		{`{"a":` + strings.Repeat(`{"L":[`, 33) + strings.Repeat(`]}`, 33) + `}`, string(ErrTooDeep)},

		{`[]`, ""},
		{`{"a":"b"}`, ""},
		{`{"a":{"S":1}}`, ""},
		{`{"a":{"N":1}}`, ""},
		{`{"a":{"B":"not base64"}}`, ""},
		{`{"a":{"B":"YQ"}}`, ""},
		{`{"a":{"BOOL":"maybe"}}`, ""},
		{`{"a":{"L":{}}}`, ""},
		{`{"a":{"M":[]}}`, ""},
		{`{"a":{"SS":"x"}}`, ""},
		{`{"a":{"SS":[1]}}`, ""},
		{`{"a":{"S":"x"}`, ""},
		{`{"a" {"S":"x"}}`, ""},
		{`{"a":{"S":"x"} "b":{"S":"y"}}`, ""},
		{`{"a":{"S":"x\`, ""},
		{`{"a":{"S":"\q"}}`, ""},
		{`{"a":` + strings.Repeat(`{"L":[`, 1000), ""},
		{``, ""},
	}
	for _, test := range tests {
		var in Input
		err := in.UnmarshalJSON([]byte(test.text))
		switch {
		case test.invalid == "" && err == nil:
			t.Errorf("%.60s: no error", test.text)
		case test.invalid != "" && err != nil:
			t.Errorf("%.60s: %v", test.text, err)
		case test.invalid != "" && (!errors.Is(in.Err, Invalid(test.invalid)) || in.ErrName != "a"):
			t.Errorf("%.60s: %v at %q, want %s", test.text, in.Err, in.ErrName, test.invalid)
		}
	}
}

func TestInputTakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`{"a":{"NULL":true}}`, `{"a":{"NULL":true}}`},
		{`{"a":{"BOOL":"Yes"},"b":{"BOOL":"f"},"c":{"NULL":"1"}}`, `{"a":{"BOOL":true},"b":{"BOOL":false},"c":{"NULL":true}}`},
		{`{"a":{"S":"x","N":null}}`, `{"a":{"S":"x"}}`},
		{`{"a":{"S":"x","Y":[1,{"z":"}"}]}}`, `{"a":{"S":"x"}}`},
		{`{"a":{"S":""},"b":{"B":""}}`, `{"a":{"S":""},"b":{"B":""}}`},
		{`{"a":{"NS":["2","1.0","-3"]}}`, `{"a":{"NS":["-3","1","2"]}}`},
		{`{"\u0061":{"S":"\u00e9\n"}}`, `{"a":{"S":"é\n"}}`},
		{`{"a":` + strings.Repeat(`{"L":[`, 32) + strings.Repeat(`]}`, 32) + `}`, ``},
	}
	for _, test := range tests {
		var m Map
		if err := m.UnmarshalJSON([]byte(test.text)); err != nil {
			t.Errorf("%.60s: %v", test.text, err)
			continue
		}
		if got := string(m.AppendJSON(nil)); got != test.want && test.want != "" {
			t.Errorf("%s became %s, want %s", test.text, got, test.want)
		}
	}
}

func TestItemSize(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want int
	}{
		{`{}`, 0},
		{`{"id":{"S":"abc"}}`, 2 + 3},
		{`{"é":{"S":"é"}}`, 2 + 2},
		{`{"b":{"B":"YWJj"}}`, 1 + 3},
		{`{"t":{"BOOL":true},"n":{"NULL":true}}`, 1 + 1 + 1 + 1},
		{`{"s":{"SS":["ab","c"]}}`, 1 + 3},
		{`{"l":{"L":[]}}`, 1 + 3},
		{`{"l":{"L":[{"S":"ab"},{"N":"1"}]}}`, 1 + 3 + 1 + 2 + 1 + 2},
		{`{"m":{"M":{"k":{"S":"v"}}}}`, 1 + 3 + 1 + 1 + 1},
	}
	for _, test := range tests {
		var m Map
		if err := m.UnmarshalJSON([]byte(test.text)); err != nil || m.ItemSize() != test.want {
			t.Errorf("size of %s = %d, %v, want %d", test.text, m.ItemSize(), err, test.want)
		}
	}
}

func TestSetOperations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Type{TypeStringSet, TypeNumberSet, TypeBinarySet}).Draw(t, "kind")
		a, b := sets(kind).Draw(t, "a"), sets(kind).Draw(t, "b")
		v := scalars().Filter(func(v Value) bool { return v.Type() == setOf[kind] }).Draw(t, "v")
		if got, want := a.Union(b).Has(v), a.Has(v) || b.Has(v); got != want {
			t.Fatalf("%v in the union of %v and %v: %v", v, a, b, got)
		}
		rest, ok := a.Minus(b)
		if got, want := ok && rest.Has(v), a.Has(v) && !b.Has(v); got != want {
			t.Fatalf("%v in %v without %v: %v", v, a, b, got)
		}
		if !Equal(a.Union(b), b.Union(a)) {
			t.Fatalf("the union of %v and %v depends on their order", a, b)
		}
	})
}

func TestLen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"v":{"S":"é€😀"}}`:             4, // UTF-16 code units
		`{"v":{"B":"AAEC"}}`:            3,
		`{"v":{"SS":["a","b"]}}`:        2,
		`{"v":{"L":[{"L":[]}]}}`:        1,
		`{"v":{"M":{"a":{"S":"abc"}}}}`: 1,
		`{"v":{"N":"12"}}`:              -1,
		`{"v":{"BOOL":true}}`:           -1,
		`{"v":{"NULL":true}}`:           -1,
	} {
		var m Map
		if err := m.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		n, ok := Len(m["v"])
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("size of %s is %d, want %d", text, n, want)
		}
	}
}
