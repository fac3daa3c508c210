package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// Config is the function's configuration: its STATELOCK_* environment
// variables. The AWS SDK reads its own (region, credentials,
// AWS_ENDPOINT_URL_DYNAMODB, retry settings) as in any program. Durations are
// written as Go's, such as "90s" or "2h".
type Config struct {
	// Table is the name or ARN of the DynamoDB table. STATELOCK_TABLE, required.
	Table string
	// ClockSkew is by how much the clocks of two instances of the function may
	// differ. STATELOCK_CLOCK_SKEW, ddbstore.DefaultClockSkew where it isn't set.
	ClockSkew time.Duration
	// DefaultLease is the lease of an acquire that doesn't say.
	// STATELOCK_DEFAULT_LEASE, 0 (none) where it isn't set.
	DefaultLease time.Duration
	// MaxLease is the longest lease that is granted. STATELOCK_MAX_LEASE,
	// lockapi.MaxLease where it isn't set.
	MaxLease time.Duration
	// Notice is for how long a lock must have been stale before it may be
	// force-unlocked. STATELOCK_NOTICE, 0 where it isn't set.
	Notice time.Duration
	// MaxHold is how long after its beginning a hold's lease may reach.
	// STATELOCK_MAX_HOLD, 0 (any length) where it isn't set.
	MaxHold time.Duration
	// KeepHistory is for how long the record of a transition is kept.
	// STATELOCK_KEEP_HISTORY, ddbstore.DefaultKeep where it isn't set.
	KeepHistory time.Duration
}

// prefix marks the variables that are this function's own.
const prefix = "STATELOCK_"

// durations finds the place of each setting that is a duration.
func (c *Config) durations() map[string]*time.Duration {
	return map[string]*time.Duration{
		prefix + "CLOCK_SKEW":    &c.ClockSkew,
		prefix + "DEFAULT_LEASE": &c.DefaultLease,
		prefix + "MAX_LEASE":     &c.MaxLease,
		prefix + "NOTICE":        &c.Notice,
		prefix + "MAX_HOLD":      &c.MaxHold,
		prefix + "KEEP_HISTORY":  &c.KeepHistory,
	}
}

// configFrom reads the configuration from an environment, given as by
// os.Environ. A variable that has the prefix and isn't known is an error: a
// misspelt setting must not be a setting that silently does nothing.
func configFrom(environ []string) (Config, error) {
	c := Config{ClockSkew: ddbstore.DefaultClockSkew, MaxLease: lockapi.MaxLease, KeepHistory: ddbstore.DefaultKeep}
	durations := c.durations()
	var errs []error
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		duration, known := durations[name]
		switch {
		case !strings.HasPrefix(name, prefix):
		case name == prefix+"TABLE":
			c.Table = value
		case !known:
			errs = append(errs, fmt.Errorf("%s: no such setting", name))
		default:
			d, err := time.ParseDuration(value)
			switch {
			case err != nil:
				errs = append(errs, fmt.Errorf("%s: %q is not a duration such as 5s", name, value))
			case d < 0:
				errs = append(errs, fmt.Errorf("%s: %s is negative", name, d))
			default:
				*duration = d
			}
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
	if err := c.leases().Validate(); err != nil {
		errs = append(errs, fmt.Errorf("%sDEFAULT_LEASE, %sMAX_LEASE: %w", prefix, prefix, err))
	}
	return errors.Join(errs...)
}

// leases are the rules about leases that c sets.
func (c Config) leases() lockapi.Leases {
	return lockapi.Leases{Default: c.DefaultLease, Max: c.MaxLease}
}
