package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// testItem has an attribute of each type.
const testItem = `{"pk":{"S":"k"},"s":{"S":"text"},"n":{"N":"1.50"},"b":{"B":"YWI="},"t":{"BOOL":true},"z":{"NULL":true},
	"l":{"L":[{"S":"x"},{"N":"2"},{"L":[{"N":"3"}]},{"SS":["x"]}]},"m":{"M":{"s":{"S":"inner"},"n":{"N":"7"},"m":{"M":{}}}},
	"ss":{"SS":["x","y"]},"ns":{"NS":["1","2"]},"bs":{"BS":["YQ=="]},"x.y":{"S":"dotted"},"status":{"S":"held"}}`

func item(t *testing.T, text string) attr.Map {
	t.Helper()
	var m attr.Map
	if err := m.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestEval(t *testing.T) {
	t.Parallel()
	isTrue := []string{
		// equality, by type
		"s = :s", "n <> :n", "n = size(nope) OR n <> size(nope)", "ss = :ss", "ns = :ns", "t = :yes", "z = :null",
		"s <> :n", "ss <> :ns", "l <> :l", "NOT s = :n", "m.m = :m",
		// what is missing equals nothing
		"nope <> :s", "nope <> nada", "NOT nope = nada", "NOT nope = :s", "m.nope <> :s", "l[9] <> :s", "s.x <> :s", "l.x <> :s", "m[0] <> :s",
		"NOT nope < :n", "NOT nope >= :n", "NOT nope BETWEEN :n AND :n2", "NOT n BETWEEN nope AND nada", "NOT nope IN (:n, nope2)",
		"NOT :n < nope", "NOT nope <= nada",
		// order, by type
		"n > :n", "n >= :n", "n < :n2", "n <= :n2", "s < :s2", "b > :b", "NOT n < :s", "NOT s > :n", "NOT l < :n", "NOT ss > :n",
		"n BETWEEN :n AND :n2", "s BETWEEN :s AND :s2", ":n2 BETWEEN n AND m.n",
		// lists of values
		"s IN (:s)", "s IN (:n, :s2, :s)", "ss IN (:ns, :ss)", "NOT s IN (:n, :s2)",
		// functions
		"attribute_exists(pk)", "attribute_exists(m.s)", "attribute_exists(l[2][0])", "attribute_exists(z)", "attribute_not_exists(nope)",
		"attribute_not_exists(m.nope)", "attribute_not_exists(l[4])", "attribute_not_exists(s.x)",
		"attribute_type(ns, :type)", "NOT attribute_type(ss, :type)", "NOT attribute_type(nope, :type)", "attribute_type(:ns, :type)",
		"begins_with(s, :s)", "begins_with(s, :empty)", "begins_with(b, :b)", "NOT begins_with(n, :s)", "NOT begins_with(nope, :s)", "NOT begins_with(s, nope)",
		"contains(s, :s)", "contains(b, :b)", "contains(ns, :n2)", "contains(l, :n2)", "contains(l, l[3])", "NOT contains(ss, :n)",
		"NOT contains(m, :s)", "NOT contains(nope, :s)", "NOT contains(s, nope)", "NOT contains(n, :n)",
		"size(s) = :n2 OR size(s) > :n2", "size(b) = :n2", "size(ss) = :n2", "size(bs) = :n", "size(m) > :n2", "size(l) > :n2",
		"NOT size(n) = :n", "NOT size(t) > :n", "NOT size(nope) = :n", "size(nope) <> :n", "NOT size(s) = :s", "size(ss) = l[1]",
		"size(:ss) = :n2",
		// names
		"#status <> :s", "#dotted <> nope", "attribute_exists(#dotted)", "attribute_not_exists(x.y)",
		// precedence: NOT, AND, OR
		"s = :s OR s = :n AND s = :n", "NOT s = :n AND s = :s", "NOT (s = :s AND s = :n)", "NOT NOT s = :s",
		"NOT s = :s OR s = :s", "(s = :s OR s = :n) AND n > :n", "n BETWEEN :n AND :n2 AND s = :s",
	}
	for _, text := range isTrue {
		for _, test := range []struct {
			text string
			want bool
		}{{text, true}, {"NOT (" + text + ")", false}} {
			c, err := ParseCondition(test.text)
			if err != nil {
				t.Fatalf("%s: %v", test.text, err)
			}
			p := testParams(t, test.text)
			if _, err := p.CheckCondition(c); err != nil {
				t.Fatalf("%s: %v", test.text, err)
			}
			if got := p.Eval(c, item(t, testItem)); got != test.want {
				t.Errorf("%s is %v", test.text, got)
			}
		}
	}
}

// A condition on an item that is not there sees no attributes at all.
func TestEvalAbsentItem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"attribute_not_exists(pk)":           true,
		"attribute_exists(pk)":               false,
		"s <> :s":                            true,
		"s = :s":                             false,
		"NOT s = :s":                         true,
		"attribute_not_exists(s) AND s = :s": false,
	} {
		c, err := ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := testParams(t, text).Eval(c, nil); got != want {
			t.Errorf("%s is %v", text, got)
		}
	}
}

// apply gives the JSON of what an update makes of an item, or the error.
func apply(t *testing.T, text, before string) string {
	t.Helper()
	u, err := ParseUpdate(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p := testParams(t, text)
	if _, err := p.CheckUpdate(u); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	old := item(t, before)
	untouched := string(old.AppendJSON(nil))
	after, err := p.Apply(u, old)
	if got := string(old.AppendJSON(nil)); got != untouched {
		t.Errorf("%s changed the old item from %s to %s", text, untouched, got)
	}
	if err != nil {
		return err.Error()
	}
	return string(after.AppendJSON(nil))
}

func TestApply(t *testing.T) {
	t.Parallel()
	const (
		noAttribute = string(errNoAttribute)
		operandType = string(errOperandType)
		updatePath  = string(errUpdatePath)
		list        = `{"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"},{"S":"3"}]}}`
		nested      = `{"a":{"M":{"b":{"L":[{"M":{"c":{"N":"1"},"d":{"N":"2"}}},{"S":"x"}]},"e":{"S":"y"}}}}`
	)
	tests := []struct{ text, before, want string }{
		{"SET a = :s", `{}`, `{"a":{"S":"text"}}`},
		{"SET a = :s", `{"a":{"N":"1"},"b":{"N":"2"}}`, `{"a":{"S":"text"},"b":{"N":"2"}}`},
		{"SET #dotted = :s", `{}`, `{"x.y":{"S":"text"}}`},
		// the right side is read before anything changes
		{"SET a = b, b = a", `{"a":{"N":"1"},"b":{"N":"2"}}`, `{"a":{"N":"2"},"b":{"N":"1"}}`},
		{"REMOVE a SET b = a", `{"a":{"N":"1"}}`, `{"b":{"N":"1"}}`},
		{"SET a = b ADD b :n", `{"b":{"N":"1"}}`, `{"a":{"N":"1"},"b":{"N":"2"}}`},
		{"SET a = a + :n", `{"a":{"N":"1.5"}}`, `{"a":{"N":"2.5"}}`},
		{"SET a = :n - a", `{"a":{"N":"1"}}`, `{"a":{"N":"0"}}`},
		{"SET a = a + :n", `{"a":{"N":"99999999999999999999999999999999999999"}}`, `{"a":{"N":"100000000000000000000000000000000000000"}}`},
		{"SET a = a + :n", `{"a":{"N":"99999999999999999999999999999999999998.0"}}`, `{"a":{"N":"99999999999999999999999999999999999999"}}`},
		{"SET a = if_not_exists(a, :n)", `{}`, `{"a":{"N":"1"}}`},
		{"SET a = if_not_exists(a, :n)", `{"a":{"S":"x"}}`, `{"a":{"S":"x"}}`},
		{"SET a = if_not_exists(b, c)", `{"c":{"S":"x"}}`, `{"a":{"S":"x"},"c":{"S":"x"}}`},
		{"SET a = if_not_exists(a, :n) + :n", `{}`, `{"a":{"N":"2"}}`},
		{"SET a = list_append(a, :l)", `{"a":{"L":[{"N":"8"}]}}`, `{"a":{"L":[{"N":"8"},{"N":"9"}]}}`},
		{"SET a = list_append(:l, a)", `{"a":{"L":[{"N":"8"}]}}`, `{"a":{"L":[{"N":"9"},{"N":"8"}]}}`},
		{"SET a = list_append(if_not_exists(a, :l), :l)", `{}`, `{"a":{"L":[{"N":"9"},{"N":"9"}]}}`},
		{"SET a = b", `{}`, noAttribute},
		{"SET a = b + :n", `{}`, noAttribute},
		{"SET a = if_not_exists(b, c)", `{}`, noAttribute},
		{"SET a = list_append(b, :l)", `{}`, noAttribute},
		{"SET a = b + :n", `{"b":{"S":"1"}}`, operandType},
		{"SET a = list_append(b, :l)", `{"b":{"S":"1"}}`, operandType},

		// documents
		{"SET a.b[0].c = :s, a.f = :n", nested, `{"a":{"M":{"b":{"L":[{"M":{"c":{"S":"text"},"d":{"N":"2"}}},{"S":"x"}]},"e":{"S":"y"},"f":{"N":"1"}}}}`},
		{"SET a.b[0].c = a.b[0].c + a.b[0].d REMOVE a.b[0].d, a.b[1]", nested, `{"a":{"M":{"b":{"L":[{"M":{"c":{"N":"3"}}}]},"e":{"S":"y"}}}}`},
		{"REMOVE a.b, a.e", nested, `{"a":{"M":{}}}`},
		{"SET a.b = :s", `{}`, updatePath},
		{"SET a.b = :s", `{"a":{"S":"x"}}`, updatePath},
		{"SET a.b = :s", `{"a":{"L":[]}}`, updatePath},
		{"SET a[0] = :s", `{"a":{"M":{}}}`, updatePath},
		{"SET a.b.c = :s", `{"a":{"M":{}}}`, updatePath},
		{"REMOVE a.b", `{}`, updatePath},
		{"REMOVE a[0]", `{"a":{"S":"x"}}`, updatePath},

		// lists: indexes mean the list as it was
		{"REMOVE l[0], l[2]", list, `{"l":{"L":[{"S":"1"},{"S":"3"}]}}`},
		{"REMOVE l[1] SET l[3] = :s", list, `{"l":{"L":[{"S":"0"},{"S":"2"},{"S":"text"}]}}`},
		{"SET l[9] = :s, l[7] = :n, l[8] = :b", list, `{"l":{"L":[{"S":"0"},{"S":"1"},{"S":"2"},{"S":"3"},{"N":"1"},{"B":"YQ=="},{"S":"text"}]}}`},
		{"REMOVE l[17]", list, list},
		{"SET l[0] = l[3]", list, `{"l":{"L":[{"S":"3"},{"S":"1"},{"S":"2"},{"S":"3"}]}}`},

		{"REMOVE a, b", `{"a":{"N":"1"},"c":{"N":"2"}}`, `{"c":{"N":"2"}}`},

		{"ADD a :n2", `{}`, `{"a":{"N":"2"}}`},
		{"ADD a :n2", `{"a":{"N":"-0.5"}}`, `{"a":{"N":"1.5"}}`},
		{"ADD a :ss", `{}`, `{"a":{"SS":["x","y"]}}`},
		{"ADD a :ss", `{"a":{"SS":["z","x"]}}`, `{"a":{"SS":["x","y","z"]}}`},
		{"ADD a :ns", `{"a":{"NS":["1.0","10"]}}`, `{"a":{"NS":["1","2","10"]}}`},
		{"ADD m.a :n", `{"m":{"M":{}}}`, `{"m":{"M":{"a":{"N":"1"}}}}`},
		{"ADD a :n", `{"a":{"S":"1"}}`, operandType},
		{"ADD a :n", `{"a":{"NS":["1"]}}`, operandType},
		{"ADD a :ss", `{"a":{"NS":["1"]}}`, operandType},
		{"ADD a :ss", `{"a":{"L":[]}}`, operandType},
		{"ADD m.a :n", `{}`, updatePath},

		{"DELETE a :ss", `{"a":{"SS":["x","z"]}}`, `{"a":{"SS":["z"]}}`},
		{"DELETE a :ss", `{"a":{"SS":["x","y"]},"b":{"N":"1"}}`, `{"b":{"N":"1"}}`},
		{"DELETE a :ss", `{"b":{"N":"1"}}`, `{"b":{"N":"1"}}`},
		{"DELETE a :ss", `{"a":{"NS":["1"]}}`, operandType},
		{"DELETE a :ss", `{"a":{"S":"x"}}`, operandType},
	}
	for _, test := range tests {
		if got := apply(t, test.text, test.before); got != test.want {
			t.Errorf("%s on %s\n got %s\nwant %s", test.text, test.before, got, test.want)
		}
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"s", `{"s":{"S":"text"}}`},
		{"n, nope, s", `{"n":{"N":"1.5"},"s":{"S":"text"}}`},
		{"nope, m.nope, l[9], s.x", `{}`},
		{"m.n, m.s", `{"m":{"M":{"n":{"N":"7"},"s":{"S":"inner"}}}}`},
		{"l[2], l[0]", `{"l":{"L":[{"S":"x"},{"L":[{"N":"3"}]}]}}`},
		{"l[2][0]", `{"l":{"L":[{"L":[{"N":"3"}]}]}}`},
		{"#status, m.m", `{"m":{"M":{"m":{"M":{}}}},"status":{"S":"held"}}`},
	}
	for _, test := range tests {
		projection, err := ParseProjection(test.text)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := testParams(t, test.text).CheckProjection(projection)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Project(paths, item(t, testItem)).AppendJSON(nil)); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
		if got := Project(paths, nil); got != nil {
			t.Errorf("%s of no item is %v", test.text, got)
		}
	}
}

func TestKeyConditions(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"pk = :s", "pk = [text]"},
		{":s = pk", "pk = [text]"},
		{"#pk = :s AND a > :n", "pk = [text], a > [1]"},
		{"pk = :s AND :n >= a", "pk = [text], a <= [1]"},
		{"pk = :s AND (a BETWEEN :n AND :n2)", "pk = [text], a BETWEEN [1 2]"},
		{"begins_with(a, :s) AND pk = :s", "a begins_with [text], pk = [text]"},
		{"pk = :s OR a = :n", "Invalid operator used in KeyConditionExpression: OR"},
		{"NOT pk = :s", "Invalid operator used in KeyConditionExpression: NOT"},
		{"pk <> :s", "Invalid operator used in KeyConditionExpression: <>"},
		{"pk IN (:s)", "Invalid operator used in KeyConditionExpression: IN"},
		{"pk = :s AND contains(a, :s)", "Invalid operator used in KeyConditionExpression: contains"},
		{"attribute_exists(pk)", "Invalid operator used in KeyConditionExpression: attribute_exists"},
		{"pk = :s AND size(a) = :n", "KeyConditionExpressions cannot contain nested operations"},
		{"pk = :s AND a.b = :n", "KeyConditionExpressions cannot have conditions on nested attributes"},
		{"pk = :s AND a > :n AND a < :n2", "KeyConditionExpressions must only contain one condition per key"},
		{"pk = a", "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"},
		{":s = :n", "Invalid condition in KeyConditionExpression: No key attribute specified"},
		{":n BETWEEN a AND b", "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand"},
		{"begins_with(:s, a)", "Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand"},
	}
	for _, test := range tests {
		c, err := ParseCondition(test.text)
		if err != nil {
			t.Fatal(err)
		}
		p := testParams(t, test.text)
		if _, err := p.CheckCondition(c); err != nil {
			t.Fatal(err)
		}
		conditions, err := p.KeyConditions(c)
		var got []string
		for _, k := range conditions {
			got = append(got, fmt.Sprintf("%s %s %v", k.Name, k.Op, k.Values))
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.text, diff)
		}
	}
}
