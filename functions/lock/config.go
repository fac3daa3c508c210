package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
)

// Config is the function's configuration: its STATELOCK_* environment
// variables. The AWS SDK reads its own (region, credentials,
// AWS_ENDPOINT_URL_DYNAMODB, retry settings) as in any program.
type Config struct {
	// Table is the name or ARN of the DynamoDB table. STATELOCK_TABLE, required.
	Table string
	// ClockSkew is by how much the clocks of two instances of the function may
	// differ. STATELOCK_CLOCK_SKEW, a Go duration such as "5s"; not negative;
	// ddbstore.DefaultClockSkew where it isn't set.
	ClockSkew time.Duration
}

// prefix marks the variables that are this function's own.
const prefix = "STATELOCK_"

// configFrom reads the configuration from an environment, given as by
// os.Environ. A variable that has the prefix and isn't known is an error: a
// misspelt setting must not be a setting that silently does nothing.
func configFrom(environ []string) (Config, error) {
	c := Config{ClockSkew: ddbstore.DefaultClockSkew}
	var errs []error
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		switch name {
		case prefix + "TABLE":
			c.Table = value
		case prefix + "CLOCK_SKEW":
			d, err := time.ParseDuration(value)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %q is not a duration such as 5s", name, value))
				continue
			}
			c.ClockSkew = d
		default:
			errs = append(errs, fmt.Errorf("%s: no such setting", name))
		}
	}
	return c, errors.Join(append(errs, c.validate())...)
}

// tableName is what DynamoDB calls a table's name or ARN: the name has 3 to 255
// characters, see "Supported data types and naming rules in Amazon DynamoDB".
var tableName = regexp.MustCompile(`^(arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:[0-9]{12}:table/)?[a-zA-Z0-9_.-]{3,255}$`)

// validate names the variable of each setting that can't be used.
func (c Config) validate() error {
	var errs []error
	switch {
	case c.Table == "":
		errs = append(errs, errors.New(prefix+"TABLE: required, the name of the DynamoDB table"))
	case !tableName.MatchString(c.Table):
		errs = append(errs, fmt.Errorf("%sTABLE: %q is not a DynamoDB table name", prefix, c.Table))
	}
	if c.ClockSkew < 0 {
		errs = append(errs, fmt.Errorf("%sCLOCK_SKEW: %s is negative", prefix, c.ClockSkew))
	}
	return errors.Join(errs...)
}
