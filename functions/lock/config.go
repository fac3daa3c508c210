package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/auth"
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
	// MaxState is the greatest size of a state, in bytes. STATELOCK_MAX_STATE,
	// lockapi.DefaultMaxState where it isn't set.
	MaxState int64
	// KeepVersions is how many versions of a state are kept.
	// STATELOCK_KEEP_VERSIONS, ddbstore.DefaultKeepVersions where it isn't set.
	KeepVersions int64
	// RequireLock refuses to write state without a lock. STATELOCK_REQUIRE_LOCK,
	// false where it isn't set.
	RequireLock bool
	// Issuers are those whose JWTs are taken as credentials, see
	// auth.ParseIssuers. STATELOCK_ISSUERS, none where it isn't set.
	Issuers []auth.Issuer
	// Serves is which events this deployment takes: api, ops, sweep or history.
	// STATELOCK_SERVES, all of them where it isn't set.
	Serves duty
	// Topic is the ARN of the SNS topic that is told when a lock was marked stale
	// or force-unlocked. STATELOCK_TOPIC, nobody is told where it isn't set.
	Topic string
	// JWT tells that callers of the API's own routes bring JWTs, which the gateway
	// has checked for issuer and audience alone: what they may do is left to the
	// rules of Issuers. STATELOCK_JWT, false where it isn't set.
	JWT bool
}

// prefix marks the variables that are this function's own.
const prefix = "STATELOCK_"

// settings are how the variables but STATELOCK_TABLE are read.
func (c *Config) settings() map[string]func(string) error {
	return map[string]func(string) error{
		prefix + "CLOCK_SKEW":    duration(&c.ClockSkew),
		prefix + "DEFAULT_LEASE": duration(&c.DefaultLease),
		prefix + "MAX_LEASE":     duration(&c.MaxLease),
		prefix + "NOTICE":        duration(&c.Notice),
		prefix + "MAX_HOLD":      duration(&c.MaxHold),
		prefix + "KEEP_HISTORY":  duration(&c.KeepHistory),
		prefix + "MAX_STATE":     count(&c.MaxState),
		prefix + "KEEP_VERSIONS": count(&c.KeepVersions),
		prefix + "REQUIRE_LOCK":  decision(&c.RequireLock),
		prefix + "ISSUERS":       issuers(&c.Issuers),
		prefix + "SERVES":        serving(&c.Serves),
		prefix + "TOPIC":         topic(&c.Topic),
		prefix + "JWT":           decision(&c.JWT),
	}
}

// duration reads a length of time into place.
func duration(place *time.Duration) func(string) error {
	return func(value string) error {
		d, err := time.ParseDuration(value)
		switch {
		case err != nil:
			return fmt.Errorf("%q is not a duration such as 5s", value)
		case d < 0:
			return fmt.Errorf("%s is negative", d)
		}
		*place = d
		return nil
	}
}

// count reads a number of at least one into place.
func count(place *int64) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a whole number from 1", value)
		}
		*place = n
		return nil
	}
}

// decision reads true or false into place.
func decision(place *bool) func(string) error {
	return func(value string) error {
		switch value {
		case "true", "false":
			*place = value == "true"
			return nil
		}
		return fmt.Errorf("%q is neither true nor false", value)
	}
}

// issuers reads a JSON array of issuers into place.
func issuers(place *[]auth.Issuer) func(string) error {
	return func(value string) (err error) {
		if value != "" { // as a template's parameter that isn't given
			*place, err = auth.ParseIssuers([]byte(value))
		}
		return err
	}
}

// topicARN is what Amazon SNS names a topic by, see CreateTopic in its API
// reference. Lengths are not in these expressions: to compile a bounded
// repetition would be the longest part of the function's start.
var topicARN = regexp.MustCompile(`^arn:[a-z0-9-]+:sns:[a-z0-9-]+:[0-9]+:[a-zA-Z0-9_-]+$`)

// topic reads the ARN of an SNS topic into place.
func topic(place *string) func(string) error {
	return func(value string) error {
		if !topicARN.MatchString(value) {
			return fmt.Errorf("%q is not the ARN of an SNS topic", value)
		}
		*place = value
		return nil
	}
}

// configFrom reads the configuration from an environment, given as by
// os.Environ. A variable that has the prefix and isn't known is an error: a
// misspelt setting must not be a setting that silently does nothing.
func configFrom(environ []string) (Config, error) {
	c := Config{
		ClockSkew: ddbstore.DefaultClockSkew, MaxLease: lockapi.MaxLease, KeepHistory: ddbstore.DefaultKeep,
		MaxState: lockapi.DefaultMaxState, KeepVersions: ddbstore.DefaultKeepVersions,
	}
	settings := c.settings()
	var errs []error
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		set, known := settings[name]
		switch {
		case !strings.HasPrefix(name, prefix):
		case name == prefix+"TABLE":
			c.Table = value
		case !known:
			errs = append(errs, fmt.Errorf("%s: no such setting", name))
		default:
			if err := set(value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return c, errors.Join(append(errs, c.validate())...)
}

// tableName is what DynamoDB calls a table's name or ARN.
var tableName = regexp.MustCompile(`^(arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:[0-9]+:table/)?([a-zA-Z0-9_.-]+)$`)

// isTable reports whether name can be a table's: its last part has 3 to 255
// characters, see "Supported data types and naming rules in Amazon DynamoDB".
func isTable(name string) bool {
	parts := tableName.FindStringSubmatch(name)
	return parts != nil && len(parts[2]) >= 3 && len(parts[2]) <= 255
}

// validate names the variable of each setting that can't be used.
func (c Config) validate() error {
	var errs []error
	switch {
	case c.Table == "":
		errs = append(errs, errors.New(prefix+"TABLE: required, the name of the DynamoDB table"))
	case !isTable(c.Table):
		errs = append(errs, fmt.Errorf("%sTABLE: %q is not a DynamoDB table name", prefix, c.Table))
	}
	if c.JWT && len(c.Issuers) == 0 {
		errs = append(errs, fmt.Errorf("%sJWT: %sISSUERS must say whose JWTs may do what", prefix, prefix))
	}
	if err := c.leases().Validate(c.MaxHold); err != nil {
		errs = append(errs, fmt.Errorf("%sDEFAULT_LEASE, %sMAX_LEASE, %sMAX_HOLD: %w", prefix, prefix, prefix, err))
	}
	if c.KeepHistory == 0 {
		errs = append(errs, fmt.Errorf("%sKEEP_HISTORY: must be more than 0, or each record would expire at once", prefix))
	}
	return errors.Join(errs...)
}

// leases are the rules about leases that c sets.
func (c Config) leases() lockapi.Leases {
	return lockapi.Leases{Default: c.DefaultLease, Max: c.MaxLease}
}
