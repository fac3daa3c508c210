package expr

import "strings"

// ParseUpdate reads an update expression.
func ParseUpdate(text string) (*Update, error) {
	return updates.parse(text, (*parser).update)
}

// ParseProjection reads a projection expression: paths with commas between.
func ParseProjection(text string) (Projection, error) {
	return projections.parse(text, (*parser).projection)
}

var (
	updates     cache[*Update]
	projections cache[Projection]
)

func (p *parser) projection() (Projection, error) {
	var paths Projection
	for {
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
		if !p.accept(",") {
			return paths, nil
		}
	}
}

func (p *parser) update() (*Update, error) {
	u := &Update{}
	for {
		keyword := strings.ToUpper(p.peek().text)
		action := p.actionOf(keyword)
		if action == nil {
			return nil, p.unexpected()
		}
		p.next()
		clause := Clause{Keyword: keyword}
		for {
			a, err := action()
			if err != nil {
				return nil, err
			}
			clause.Actions = append(clause.Actions, a)
			if !p.accept(",") {
				break
			}
		}
		u.Clauses = append(u.Clauses, clause)
		if p.peek().kind == end {
			return u, nil
		}
	}
}

// actionOf is how the actions of a clause read, nil if no clause begins with
// keyword.
func (p *parser) actionOf(keyword string) func() (Action, error) {
	switch keyword {
	case "SET":
		return p.setAction
	case "REMOVE":
		return p.removeAction
	case "ADD", "DELETE":
		return p.valueAction
	}
	return nil
}

func (p *parser) removeAction() (Action, error) {
	path, err := p.path()
	return Action{Path: path}, err
}

func (p *parser) valueAction() (Action, error) {
	path, err := p.path()
	if err != nil {
		return Action{}, err
	}
	if p.peek().kind != value {
		return Action{}, p.unexpected()
	}
	return Action{path, ValueRef(p.next().text)}, nil
}

func (p *parser) setAction() (Action, error) {
	path, err := p.path()
	if err != nil {
		return Action{}, err
	}
	if err := p.expect("="); err != nil {
		return Action{}, err
	}
	assigned, err := p.assigned()
	return Action{path, assigned}, err
}

// assigned reads an operand, or two with an operator between. There is one
// operator at most, so a sum is no operand of another.
func (p *parser) assigned() (Operand, error) {
	left, err := p.assignedOperand()
	if err != nil || isSum(left) {
		return left, err
	}
	t := p.peek()
	if !p.accept("+") && !p.accept("-") {
		return left, nil
	}
	right, err := p.assignedOperand()
	if err == nil && isSum(right) {
		err = p.unexpected()
	}
	return &Sum{t.text, left, right}, err
}

// assignedOperand reads an operand, or all that assigned does in parentheses.
func (p *parser) assignedOperand() (Operand, error) {
	if !p.accept("(") {
		return p.operand()
	}
	inside, err := p.assigned()
	if err != nil {
		return nil, err
	}
	return inside, p.expect(")")
}

func isSum(o Operand) bool {
	_, ok := o.(*Sum)
	return ok
}
