package differential

import "strings"

// update writes an update expression of one to three clauses.
func (x *expressions) update() string {
	if x.oneIn(50) {
		return pick(x.draws, "", "SET", "SET a", "SET a = ", "SET a = b = c", "REMOVE", "REMOVE a,", "ADD a", "DELETE a",
			"SET a = b REMOVE", "SET a = b SET c = d", "PUT a = b", "SET a = b, REMOVE c", "SET a = size(b)",
			"SET a = if_not_exists(b)", "SET a = list_append(b)", "SET a = unknown(b)", "ADD a b", "DELETE a b",
			"SET a = :undefined", "REMOVE #undefined", "SET a = b + c + d", "SET a = (b)", "SET a = -b", "SET a = 1",
			"SET a = (b + c)", "SET a = (b + c) - d", "SET a = b + (c - d)", "SET a = if_not_exists(b, c) + if_not_exists(c, d)", "SET a = attribute_exists(b)")
	}
	keywords := []string{"SET", "REMOVE", "ADD", "DELETE"}
	var clauses []string
	first := x.below(len(keywords))
	for i := range 1 + x.below(3) {
		clauses = append(clauses, x.clause(keywords[(first+i)%len(keywords)]))
	}
	return strings.Join(clauses, " ")
}

func (x *expressions) clause(keyword string) string {
	action := map[string]func() string{
		"SET":    func() string { return x.target() + " = " + x.assigned() },
		"REMOVE": func() string { return x.target() },
		"ADD": func() string {
			typ := pick(x.draws, "N", "SS", "NS", "BS")
			return x.target(typ) + " " + x.typedValue(typ)
		},
		"DELETE": func() string {
			typ := pick(x.draws, "SS", "NS", "BS")
			return x.target(typ) + " " + x.typedValue(typ)
		},
	}[keyword]
	return x.keyword(keyword) + " " + x.list(1+x.below(2), action)
}

func (x *expressions) assigned() string {
	number := func() string { return x.operand("N") }
	list := func() string { return x.operand("L") }
	return pick(x.draws,
		x.anyValue,
		x.anyValue,
		x.path,
		func() string { return number() + pick(x.draws, " + ", " - ", "+", "-") + number() },
		func() string { return "list_append(" + list() + ", " + list() + ")" },
		func() string { return "if_not_exists(" + x.path() + ", " + x.anyValue() + ")" },
	)()
}

// operand is a part of what SET assigns, likely of a type.
func (x *expressions) operand(typ string) string {
	switch x.below(4) {
	case 0:
		return x.typedValue(typ)
	case 1:
		return "if_not_exists(" + x.pathTo(typ) + ", " + x.typedValue(typ) + ")"
	default:
		return x.pathTo(typ)
	}
}
