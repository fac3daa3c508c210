package expr

import "github.com/statelock/statelock/localtest/engine/attr"

// ParseCondition reads a condition, key condition or filter expression.
//
// From loose to tight binding: OR, AND, NOT, comparison.
func ParseCondition(text string) (Condition, error) {
	return conditions.parse(text, (*parser).or)
}

var conditions cache[Condition]

func (p *parser) or() (Condition, error) {
	left, err := p.and()
	for err == nil && p.acceptKeyword("OR") {
		var right Condition
		right, err = p.and()
		left = &Or{left, right}
	}
	return left, err
}

func (p *parser) and() (Condition, error) {
	left, err := p.not()
	for err == nil && p.acceptKeyword("AND") {
		var right Condition
		right, err = p.not()
		left = &And{left, right}
	}
	return left, err
}

func (p *parser) not() (Condition, error) {
	if p.acceptKeyword("NOT") {
		operand, err := p.not()
		return &Not{operand}, err
	}
	if p.isSymbol("(") {
		return p.parens()
	}
	return p.comparison()
}

// parens reads ( condition ). Parentheses around nothing but parentheses are
// refused.
func (p *parser) parens() (Condition, error) {
	p.next()
	inner := p.isSymbol("(")
	start := p.pos
	c, err := p.or()
	if err != nil {
		return nil, err
	}
	if inner && p.closes(start) {
		return nil, attr.Invalid("The expression has redundant parentheses;")
	}
	return c, p.expect(")")
}

// closes reports whether the parenthesis that opens at token start closes right
// before the current token.
func (p *parser) closes(start int) bool {
	depth := 0
	for i := start; i < p.pos; i++ {
		switch t := p.tokens[i]; {
		case t.kind != symbol:
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
		}
		if depth == 0 {
			return i == p.pos-1
		}
	}
	return false
}

// comparison reads what stands between logical operators: a comparison,
// BETWEEN, IN or a function.
func (p *parser) comparison() (Condition, error) {
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	switch t := p.peek(); {
	case t.kind == symbol && isComparator(t.text):
		p.next()
		right, err := p.operand()
		return &Compare{t.text, left, right}, err
	case p.acceptKeyword("BETWEEN"):
		return p.between(left)
	case p.acceptKeyword("IN"):
		return p.in(left)
	}
	if call, ok := left.(*Call); ok {
		return call, nil
	}
	return nil, p.unexpected()
}

func isComparator(s string) bool {
	switch s {
	case "=", "<>", "<", "<=", ">", ">=":
		return true
	}
	return false
}

func (p *parser) between(operand Operand) (Condition, error) {
	low, err := p.operand()
	if err != nil {
		return nil, err
	}
	if !p.acceptKeyword("AND") {
		return nil, p.unexpected()
	}
	high, err := p.operand()
	return &Between{operand, low, high}, err
}

func (p *parser) in(operand Operand) (Condition, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	in := &In{Operand: operand}
	for {
		elem, err := p.operand()
		if err != nil {
			return nil, err
		}
		in.List = append(in.List, elem)
		if p.accept(")") {
			return in, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}
