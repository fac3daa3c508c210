package expr

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes the path as it is written in expressions.
func (p Path) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case step.Name == "":
			b.WriteString("[" + strconv.Itoa(step.Index) + "]")
		case i == 0:
			b.WriteString(step.Name)
		default:
			b.WriteString("." + step.Name)
		}
	}
	return b.String()
}

// String writes the call with its arguments.
func (c *Call) String() string { return c.Name + "(" + join(c.Args) + ")" }

// String writes the sum.
func (s *Sum) String() string { return fmt.Sprintf("%v %s %v", s.Left, s.Op, s.Right) }

// String writes the condition with the parentheses it needs and no others.
func (c *Or) String() string { return fmt.Sprintf("%v OR %s", c.Left, enclose(c.Right, looseAsOr)) }

// String writes the condition with the parentheses it needs and no others.
func (c *And) String() string {
	return fmt.Sprintf("%s AND %s", enclose(c.Left, looserThanAnd), enclose(c.Right, looseAsAnd))
}

// String writes the condition with the parentheses it needs and no others.
func (c *Not) String() string { return "NOT " + enclose(c.Operand, looseAsAnd) }

// String writes the comparison.
func (c *Compare) String() string { return fmt.Sprintf("%v %s %v", c.Left, c.Op, c.Right) }

// String writes the condition.
func (c *Between) String() string {
	return fmt.Sprintf("%v BETWEEN %v AND %v", c.Operand, c.Low, c.High)
}

// String writes the condition.
func (c *In) String() string { return fmt.Sprintf("%v IN (%s)", c.Operand, join(c.List)) }

// Operators are read from left to right, so an operator on the right of its
// like needs parentheses to stay there.
func looseAsOr(c Condition) bool     { _, ok := c.(*Or); return ok }
func looserThanAnd(c Condition) bool { return looseAsOr(c) }
func looseAsAnd(c Condition) bool    { _, ok := c.(*And); return ok || looseAsOr(c) }

func enclose(c Condition, looser func(Condition) bool) string {
	if looser(c) {
		return fmt.Sprintf("(%v)", c)
	}
	return fmt.Sprint(c)
}

func join[T any](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}

// String writes the update, clauses in their order.
func (u *Update) String() string {
	clauses := make([]string, len(u.Clauses))
	for i, c := range u.Clauses {
		clauses[i] = c.Keyword + " " + c.actions()
	}
	return strings.Join(clauses, " ")
}

func (c Clause) actions() string {
	texts := make([]string, len(c.Actions))
	for i, a := range c.Actions {
		switch {
		case a.Value == nil:
			texts[i] = a.Path.String()
		case c.Keyword == "SET":
			texts[i] = fmt.Sprintf("%v = %v", a.Path, a.Value)
		default:
			texts[i] = fmt.Sprintf("%v %v", a.Path, a.Value)
		}
	}
	return strings.Join(texts, ", ")
}

// String writes the paths with commas between.
func (p Projection) String() string { return join(p) }
