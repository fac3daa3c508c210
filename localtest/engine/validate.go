package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// constraints collects what is wrong with the plain parameters of a request;
// the service reports all of it at once.
type constraints []string

func (c *constraints) fail(value any, at, constraint string) {
	shown := "null"
	if value != nil {
		shown = fmt.Sprintf("'%v'", value)
	}
	*c = append(*c, fmt.Sprintf("Value %s at '%s' failed to satisfy constraint: %s", shown, at, constraint))
}

func (c constraints) err() error {
	switch len(c) {
	case 0:
		return nil
	case 1:
		return validationf("1 validation error detected: %s", c[0])
	}
	return validationf("%d validation errors detected: %s", len(c), strings.Join(c, "; "))
}

// required refuses a parameter that is not there.
func (c *constraints) required(present bool, at string) {
	if !present {
		c.fail(nil, at, "Member must not be null")
	}
}

// oneOf refuses a value, if there is one, that is not in the list.
func (c *constraints) oneOf(value, at string, allowed ...string) {
	if value != "" && !slices.Contains(allowed, value) {
		c.fail(value, at, "Member must satisfy enum value set: ["+strings.Join(allowed, ", ")+"]")
	}
}

// atLeast refuses a number, if there is one, below low. Here the service shows
// no value, and begins the parameter's name with a capital.
func (c *constraints) atLeast(value *int, at string, low int) {
	if value != nil && *value < low {
		*c = append(*c, fmt.Sprintf("Value at '%s' failed to satisfy constraint: "+
			"Member must have value greater than or equal to %d", at, low))
	}
}

// atLeastOne refuses an empty list or map, in the same way.
func (c *constraints) atLeastOne(length int, at string) {
	if length == 0 {
		*c = append(*c, fmt.Sprintf("Value at '%s' failed to satisfy constraint: "+
			"Member must have length greater than or equal to 1", at))
	}
}

var resourceName = regexp.MustCompile(`^[a-zA-Z0-9_.-]*$`)

// name refuses what can't be the name of a table or index.
func (c *constraints) name(value, at string) {
	switch {
	case value == "":
		c.fail(nil, at, "Member must not be null")
	case !resourceName.MatchString(value):
		c.fail(value, at, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
	case len(value) > 255:
		c.fail(value, at, "Member must have length less than or equal to 255")
	}
}

// newName refuses names that a new table or index can't have.
func (c *constraints) newName(value, at string) {
	c.name(value, at)
	if n := len(value); n > 0 && n < 3 {
		c.fail(value, at, "Member must have length greater than or equal to 3")
	}
}

// tableRef is a parameter that names a table, by name or ARN.
type tableRef string

// name is the table's name.
func (r tableRef) name() string {
	if strings.HasPrefix(string(r), "arn:") {
		_, name, _ := strings.Cut(string(r), ":table/")
		return name
	}
	return string(r)
}

// common are parameters of most operations on items.
type common struct {
	TableName                   tableRef
	ReturnConsumedCapacity      string
	ReturnItemCollectionMetrics string
}

func (r *common) check(c *constraints) {
	c.name(r.TableName.name(), "tableName")
	c.oneOf(r.ReturnConsumedCapacity, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
	c.oneOf(r.ReturnItemCollectionMetrics, "returnItemCollectionMetrics", "SIZE", "NONE")
}

// checkValues refuses an item or key with an invalid value.
func checkValues(in *attr.Input) error {
	if in.Err != nil {
		return in.Err
	}
	return nil
}

// legacy are the parameters that expressions replaced, by name.
type legacy map[string]json.RawMessage

// refuse says that a parameter is not supported, or, as the service would,
// that it does not go together with an expression.
func (l legacy) refuse(expressions ...expression) error {
	var given []string
	for name, text := range l {
		if text != nil {
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
