package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// testNames and testValues are what the expressions of the tests can refer to.
const (
	testNames  = `#a=a #b=b #status=status #dotted=x.y #pk=pk`
	testValues = `{":s":{"S":"text"},":s2":{"S":"zebra"},":n":{"N":"1"},":n2":{"N":"2"},":b":{"B":"YQ=="},":yes":{"BOOL":true},
		":null":{"NULL":true},":l":{"L":[{"N":"9"}]},":m":{"M":{}},":ss":{"SS":["x","y"]},":ns":{"NS":["1","2"]},
		":type":{"S":"NS"},":empty":{"S":""}}`
)

// testParams prepares the placeholders that occur in text.
func testParams(t *testing.T, text string) *Params {
	t.Helper()
	var all, used attr.Map
	if err := all.UnmarshalJSON([]byte(testValues)); err != nil {
		t.Fatal(err)
	}
	used = attr.Map{}
	for key, v := range all {
		if mentions(text, key) {
			used[key] = v
		}
	}
	var values *attr.Input
	if len(used) > 0 {
		values = &attr.Input{Map: used}
	}
	var names map[string]string
	for pair := range strings.FieldsSeq(testNames) {
		key, name, _ := strings.Cut(pair, "=")
		if mentions(text, key) {
			if names == nil {
				names = map[string]string{}
			}
			names[key] = name
		}
	}
	p, err := NewParams(names, values)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// mentions reports whether text has the placeholder key, not just a longer one.
func mentions(text, key string) bool {
	tokens, err := lex(text)
	if err != nil {
		return false
	}
	for _, tok := range tokens {
		if tok.text == key {
			return true
		}
	}
	return false
}

// check parses and checks one expression, and that it uses all it was given.
func check(t *testing.T, kind, text string) error {
	t.Helper()
	p := testParams(t, text)
	tree, err := parseAs(kind, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	switch tree := tree.(type) {
	case *Update:
		_, err = p.CheckUpdate(tree)
	case Projection:
		_, err = p.CheckProjection(tree)
	default:
		_, err = p.CheckCondition(tree.(Condition))
	}
	if err == nil {
		err = p.CheckUnused()
	}
	return err
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		operands = "Incorrect operand type for operator or function; "
		counts   = "Incorrect number of operands for operator or function; operator or function: "
		path     = "Operator or function requires a document path; operator or function: "
		misuse   = "The function is not allowed to be used this way in an expression; function: "
		noCond   = "The function is not allowed in a condition expression; function: "
		noUpdate = "The function is not allowed in an update expression; function: "
		unknown  = "Invalid function name; function: "
		distinct = "The first operand must be distinct from the remaining operands for this operator or function; operator: "
		overlap  = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
		conflict = "Two document paths conflict with each other; must remove or rewrite one of these paths; "
		noName   = "An expression attribute name used in the document path is not defined; attribute name: "
		noValue  = "An expression attribute value used in expression is not defined; attribute value: "
		reserved = "Attribute name is a reserved keyword; reserved keyword: "
	)
	tests := []struct{ kind, text, want string }{
		{"condition", "a = :s AND #status <> :n OR size(b.c) < :n", ""},
		{"condition", "a = b", ""},
		{"condition", "a = a.b", ""},
		{"condition", ":s = :s", ""},
		{"condition", "size(a) = a", ""},
		{"condition", "contains(a, :l)", ""},
		{"condition", "begins_with(:s, a)", ""},
		{"condition", "attribute_type(:n, :type)", ""},
		{"condition", "a IN (:s, :n, b, size(a))", ""},
		{"condition", "a BETWEEN :n AND :n2", ""},
		{"condition", "a BETWEEN :n2 AND b", ""},
		{"condition", "a = :null OR a = :yes OR a = :l OR a = :m OR a = :ss", ""},

		{"condition", "a = :nope", noValue + ":nope"},
		{"condition", "#nope = :s", noName + "#nope"},
		{"condition", "a.#nope = :s", noName + "#nope"},
		{"condition", "status = :s", reserved + "status"},
		{"condition", "a.Status = :s", reserved + "Status"},
		{"condition", "attribute_exists(ttl)", reserved + "ttl"},
		{"condition", "size(owner) > :n", reserved + "owner"},
		{"condition", "size(a)", misuse + "size"},
		{"condition", "attribute_exists(a) = :yes", misuse + "attribute_exists"},
		{"condition", "begins_with(a, contains(b, :s))", misuse + "contains"},
		{"condition", "dog(a)", unknown + "dog"},
		{"condition", "SIZE(a) > :n", unknown + "SIZE"},
		{"condition", "Attribute_Exists(a)", unknown + "Attribute_Exists"},
		{"condition", "if_not_exists(a, :n) = :n", noCond + "if_not_exists"},
		{"condition", "list_append(a, :l)", noCond + "list_append"},
		{"condition", "attribute_exists(:s)", path + "attribute_exists"},
		{"condition", "attribute_not_exists(size(a))", path + "attribute_not_exists"},
		{"condition", "attribute_exists(a, b)", counts + "attribute_exists, number of operands: 2"},
		{"condition", "contains(a)", counts + "contains, number of operands: 1"},
		{"condition", "size(a, b) > :n", counts + "size, number of operands: 2"},
		{"condition", "a < :yes", operands + "operator: <, operand type: BOOL"},
		{"condition", ":null >= a", operands + "operator: >=, operand type: NULL"},
		{"condition", "a > :ss", operands + "operator: >, operand type: SS"},
		{"condition", "a BETWEEN :l AND :l", operands + "operator: BETWEEN, operand type: L"},
		{"condition", "begins_with(a, :n)", operands + "operator or function: begins_with, operand type: N"},
		{"condition", "begins_with(a, size(b))", operands + "operator or function: begins_with, operand type: N"},
		{"condition", "size(:n) > :n", operands + "operator or function: size, operand type: N"},
		{"condition", "size(:yes) > :n", operands + "operator or function: size, operand type: BOOL"},
		{"condition", "attribute_type(a, b)", operands + "operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"},
		{"condition", "attribute_type(a, :n)", operands + "operator or function: attribute_type, operand type: N"},
		{"condition", "attribute_type(a, :s)", "Invalid attribute type name found; type: text, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
		{"condition", "a BETWEEN :n2 AND :n", "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; " +
			"lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"},
		{"condition", "a BETWEEN :n AND :s", "The BETWEEN operator requires same data type for lower and upper bounds; " +
			"lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:text}"},
		{"condition", "a = a", distinct + "=, first operand: [a]"},
		{"condition", "#a <> a", distinct + "<>, first operand: [a]"},
		{"condition", "a.b[1] < #a.#b[1]", distinct + "<, first operand: [a, b, [1]]"},
		{"condition", "contains(a, a)", distinct + "contains, first operand: [a]"},
		{"condition", "a IN (:s, a)", distinct + "IN, first operand: [a]"},
		{"condition", "a IN (:s" + strings.Repeat(", :s", 100) + ")", "The IN operator is provided with too many operands; number of operands: 101"},
		{"condition", "a = :s" + strings.Repeat(" AND a = :s", 300), "The expression contains too many operators; maximum: 300"},

		{"update", "SET a = :s, b.c = :n, #status = d REMOVE e ADD f :n, g :ss DELETE h :ss", ""},
		{"update", "SET a = if_not_exists(a, :n) + :n, b = list_append(if_not_exists(b, :l), :l)", ""},
		{"update", "SET a.b = :s, a.c = :s, l[0] = :s, l[1] = :s", ""},

		{"update", "SET a = :nope", noValue + ":nope"},
		{"update", "SET #nope = :s", noName + "#nope"},
		{"update", "SET lock = :s", reserved + "lock"},
		{"update", "REMOVE a.token", reserved + "token"},
		{"update", "SET a = counter + :n", reserved + "counter"},
		{"update", "SET a = :s SET b = :s", `The "SET" section can only be used once in an update expression;`},
		{"update", "remove a SET b = :s REMOVE c", `The "REMOVE" section can only be used once in an update expression;`},
		{"update", "SET a = :s, a = :n", overlap + "path one: [a], path two: [a]"},
		{"update", "SET #a = :s REMOVE a.b[0]", overlap + "path one: [a], path two: [a, b, [0]]"},
		{"update", "SET a.b.c = :s REMOVE a.b", overlap + "path one: [a, b, c], path two: [a, b]"},
		{"update", "SET a.b = :s, a[1] = :s", conflict + "path one: [a, b], path two: [a, [1]]"},
		{"update", "SET a = dog(b)", unknown + "dog"},
		{"update", "SET a = size(b)", noUpdate + "size"},
		{"update", "SET a = attribute_exists(b)", noUpdate + "attribute_exists"},
		{"update", "SET a = if_not_exists(b)", counts + "if_not_exists, number of operands: 1"},
		{"update", "SET a = list_append(b, :l, :l)", counts + "list_append, number of operands: 3"},
		{"update", "SET a = if_not_exists(:s, :n)", path + "if_not_exists"},
		{"update", "SET a = list_append(list_append(b, :l), :l)", misuse + "list_append"},
		{"update", "SET a = list_append(b, :s)", operands + "operator or function: list_append, operand type: S"},
		{"update", "SET a = b + :s", operands + "operator or function: +, operand type: S"},
		{"update", "SET a = list_append(b, :l) - :n", operands + "operator or function: -, operand type: L"},
		{"update", "ADD a :s", operands + "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
		{"update", "ADD a :l", operands + "operator: ADD, operand type: LIST, typeSet: ALLOWED_FOR_ADD_OPERAND"},
		{"update", "DELETE a :n", operands + "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND"},

		{"projection", "a, b.c, b.d[0], #status", ""},
		{"projection", "a, a.b", overlap + "path one: [a], path two: [a, b]"},
		{"projection", "a, #nope", noName + "#nope"},
		{"projection", "name", reserved + "name"},
	}
	for _, test := range tests {
		got := ""
		if err := check(t, test.kind, test.text); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestParamsAreChecked(t *testing.T) {
	t.Parallel()
	invalid := attr.Input{Map: attr.Map{":v": nil}, Err: attr.Invalid("bad number"), ErrName: ":v"}
	tests := []struct {
		names  map[string]string
		values *attr.Input
		want   string
	}{
		{nil, nil, ""},
		{map[string]string{}, nil, "ExpressionAttributeNames must not be empty"},
		{map[string]string{"a": "b"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "a"`},
		{map[string]string{"#": "b"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "#"`},
		{map[string]string{"#a-b": "b"}, nil, `ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"`},
		{map[string]string{"#a": "b"}, nil, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}"},
		{nil, &attr.Input{Map: attr.Map{}}, "ExpressionAttributeValues must not be empty"},
		{nil, &attr.Input{Map: attr.Map{"v": attr.Null{}}}, `ExpressionAttributeValues contains invalid key: Syntax error; key: "v"`},
		{
			nil, &attr.Input{Map: attr.Map{":v": attr.Null{}, ":w": attr.Null{}}},
			"Value provided in ExpressionAttributeValues unused in expressions: keys: {:v, :w}",
		},
		{nil, &invalid, "ExpressionAttributeValues contains invalid value: bad number for key :v"},
	}
	for _, test := range tests {
		p, err := NewParams(test.names, test.values)
		if err == nil {
			err = p.CheckUnused()
		}
		if got := fmt.Sprint(err); got != test.want && (err != nil || test.want != "") {
			t.Errorf("names %v, values %v:\n got %s\nwant %s", test.names, test.values, got, test.want)
		}
	}
}

// The guide lists 573 reserved words.
func TestReservedWords(t *testing.T) {
	t.Parallel()
	if len(reserved) != 573 {
		t.Errorf("%d reserved words, want 573", len(reserved))
	}
	for _, word := range []string{"status", "STATE", "Owner", "ttl", "lock", "token", "name", "counter", "value", "key", "localtimestamp"} {
		if !isReserved(word) {
			t.Errorf("%s is not reserved", word)
		}
	}
	for _, word := range []string{"st", "holders", "lock_id", "fence", "pk", "locked", "localtimestamps", ""} {
		if isReserved(word) {
			t.Errorf("%s is reserved", word)
		}
	}
	for word := range reserved {
		if len(word) > longestReserved {
			t.Errorf("%s is longer than the longest", word)
		}
	}
}
