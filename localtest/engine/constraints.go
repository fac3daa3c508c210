package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
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
