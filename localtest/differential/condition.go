package differential

// condition writes a condition of up to depth levels.
func (x *expressions) condition(depth int) string {
	if x.oneIn(40) {
		return x.oddCondition()
	}
	forms := []func(int) string{
		x.exists, x.comparison, x.comparison, x.between, x.in, x.hasPart, x.hasType, x.ofSize, x.ofPaths,
	}
	if depth > 0 {
		forms = append(forms, x.not, x.both, x.both, x.both)
	}
	return pick(x.draws, forms...)(depth)
}

func (x *expressions) exists(int) string {
	return pick(x.draws, "attribute_exists", "attribute_not_exists") + "(" + x.path() + ")"
}

func (x *expressions) operator() string {
	return " " + pick(x.draws, "=", "<>", "<", "<=", ">", ">=") + " "
}

func (x *expressions) comparison(int) string {
	attribute, op := pick(x.draws, attributes...), x.operator()
	if x.oneIn(4) {
		return x.anyValue() + op + x.into(attribute)
	}
	return x.into(attribute) + op + x.near(attribute)
}

func (x *expressions) ofPaths(int) string { return x.path() + x.operator() + x.path() }

func (x *expressions) between(int) string {
	typ := pick(x.draws, "S", "N", "B")
	operand := x.pathTo(typ)
	if x.oneIn(6) {
		operand = x.anyValue()
	}
	bound := func() string {
		if x.oneIn(8) {
			return x.path()
		}
		return x.typedValue(typ)
	}
	return operand + " " + x.keyword("BETWEEN") + " " + bound() + " " + x.keyword("AND") + " " + bound()
}

func (x *expressions) in(int) string {
	n := 1 + x.below(3)
	if x.oneIn(60) {
		n = 99 + x.below(3)
	}
	attribute := pick(x.draws, attributes...)
	return x.into(attribute) + " " + x.keyword("IN") + " (" + x.list(n, func() string {
		if x.oneIn(8) {
			return x.path()
		}
		return x.near(attribute)
	}) + ")"
}

func (x *expressions) hasPart(int) string {
	if x.oneIn(2) {
		return "begins_with(" + x.pathTo("S", "B") + ", " + x.part("S", "B") + ")"
	}
	return "contains(" + x.pathTo("S", "B", "SS", "NS", "BS", "L") + ", " + x.part("S", "N", "B", "BOOL", "NULL") + ")"
}

func (x *expressions) part(types ...string) string {
	if x.oneIn(6) {
		return x.path()
	}
	return x.typedValue(types...)
}

func (x *expressions) hasType(int) string {
	typ := object{"S": pick(x.draws, types...)}
	if x.oneIn(12) {
		typ = pick(x.draws, object{"S": "X"}, object{"S": ""}, object{"N": "1"}, object{"SS": []any{"S"}})
	}
	return "attribute_type(" + x.path() + ", " + x.literal(typ) + ")"
}

func (x *expressions) ofSize(int) string {
	operand := x.pathTo("S", "B", "SS", "NS", "BS", "L", "M")
	if x.oneIn(8) {
		operand = x.anyValue()
	}
	return "size(" + operand + ")" + x.operator() + x.typedValue("N")
}

func (x *expressions) not(depth int) string {
	return x.keyword("NOT") + " " + x.condition(depth-1)
}

func (x *expressions) both(depth int) string {
	operator := x.keyword(pick(x.draws, "AND", "OR"))
	left, right := x.condition(depth-1), x.condition(depth-1)
	if x.oneIn(3) {
		right = "(" + right + ")"
	}
	return left + " " + operator + " " + right
}

// oddCondition is one that is likely to be a mistake.
func (x *expressions) oddCondition() string {
	return pick(x.draws, odd...)(x)
}

var odd = []func(*expressions) string{
	func(*expressions) string { return "" },
	func(*expressions) string { return "a = " },
	func(*expressions) string { return "a" },
	func(*expressions) string { return "(a = b" },
	func(*expressions) string { return "a == b" },
	func(*expressions) string { return "a != b" },
	func(*expressions) string { return "a = b AND" },
	func(*expressions) string { return "a IN ()" },
	func(*expressions) string { return "a = :undefined" },
	func(*expressions) string { return "#undefined = a" },
	func(*expressions) string { return "attribute_exists(a, b)" },
	func(*expressions) string { return "attribute_exists()" },
	func(*expressions) string { return "begins_with(a)" },
	func(*expressions) string { return "size(a)" },
	func(*expressions) string { return "a = contains(a, b)" },
	func(*expressions) string { return "if_not_exists(a, b) = a" },
	func(*expressions) string { return "unknown(a)" },
	func(*expressions) string { return "Size(a) > size(b)" },
	func(*expressions) string { return "((a = b))" },
	func(*expressions) string { return "(a) = (b)" },
	func(*expressions) string { return "a = b OR ((c = d))" },
	func(*expressions) string { return "size(size(a)) = b" },
	func(*expressions) string { return "NOT NOT a = b" },
	func(*expressions) string { return "a BETWEEN b AND c AND d = c" },
	func(x *expressions) string { return x.anyValue() + x.operator() + x.anyValue() },
	func(x *expressions) string { return "attribute_exists(" + x.anyValue() + ")" },
	func(x *expressions) string { return "begins_with(" + x.anyValue() + ", " + x.anyValue() + ")" },
	func(x *expressions) string { return "contains(" + x.anyValue() + ", " + x.anyValue() + ")" },
	func(x *expressions) string { return "attribute_type(a, b)" },
	func(x *expressions) string {
		return "attribute_type(" + x.anyValue() + ", " + x.literal(object{"S": "S"}) + ")"
	},
}
