package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// legacy are the parameters that expressions replaced, by name.
type legacy map[string]json.RawMessage

// refuse says that a parameter is not supported, or, as the service would,
// that it does not go together with an expression.
func (l legacy) refuse(expressions ...expression) error {
	var given []string
	for name, text := range l {
		if text != nil && string(text) != "null" {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	slices.Sort(given)
	for _, x := range expressions {
		if x.text != nil {
			return validationf("Can not use both expression and non-expression parameters in the same request: "+
				"Non-expression parameters: {%s} Expression parameters: {%s}", strings.Join(given, ", "), x.parameter)
		}
	}
	return validationf("Legacy parameters are not supported, use expressions: {%s}", strings.Join(given, ", "))
}

// placeholders are the parameters that expressions refer to.
type placeholders struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues *attr.Input
}

// expression is an expression parameter; its text is nil if it was not given.
type expression struct {
	parameter string
	text      *string
}

// params prepares the placeholders for an operation's expressions, of which
// those in withValues can use values.
func (ph *placeholders) params(withValues ...expression) (*expr.Params, error) {
	var absent []string
	for _, x := range withValues {
		if x.text == nil {
			absent = append(absent, x.parameter)
		}
	}
	if ph.ExpressionAttributeValues != nil && len(absent) == len(withValues) {
		verb := " is null"
		if len(absent) > 1 {
			verb = " are null"
		}
		return nil, validationf("ExpressionAttributeValues can only be specified when using expressions: %s%s",
			strings.Join(absent, " and "), verb)
	}
	p, err := expr.NewParams(ph.ExpressionAttributeNames, ph.ExpressionAttributeValues)
	return p, invalidValue("", err)
}

// namesNeedExpression refuses names without an expression to use them.
func (ph *placeholders) namesNeedExpression(expressions ...expression) error {
	if ph.ExpressionAttributeNames == nil {
		return nil
	}
	for _, x := range expressions {
		if x.text != nil {
			return nil
		}
	}
	return validationf("ExpressionAttributeNames can only be specified when using expressions")
}

// condition parses and checks a condition of any kind; none is nil.
func (x expression) condition(p *expr.Params) (expr.Condition, []expr.Path, error) {
	if x.text == nil {
		return nil, nil, nil
	}
	c, err := expr.ParseCondition(*x.text)
	if err != nil {
		return nil, nil, x.invalid(err)
	}
	paths, err := p.CheckCondition(c)
	return c, paths, x.invalid(err)
}

// update parses and checks an update; none is nil.
func (x expression) update(p *expr.Params) (*expr.Update, []expr.Path, error) {
	if x.text == nil {
		return nil, nil, nil
	}
	u, err := expr.ParseUpdate(*x.text)
	if err != nil {
		return nil, nil, x.invalid(err)
	}
	paths, err := p.CheckUpdate(u)
	return u, paths, x.invalid(err)
}

// projection parses and checks a projection; none is nil.
func (x expression) projection(p *expr.Params) ([]expr.Path, error) {
	if x.text == nil {
		return nil, nil
	}
	projection, err := expr.ParseProjection(*x.text)
	if err != nil {
		return nil, x.invalid(err)
	}
	paths, err := p.CheckProjection(projection)
	return paths, x.invalid(err)
}

func (x expression) invalid(err error) error {
	return invalidValue("Invalid "+x.parameter+": ", err)
}
