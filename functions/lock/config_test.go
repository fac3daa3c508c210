package main

import (
	"reflect"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

func TestConfigFrom(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:dynamodb:eu-central-1:111122223333:table/locks"
	for _, test := range []struct {
		environ []string
		want    Config
		problem string
	}{
		{[]string{"STATELOCK_TABLE=locks", "HOME=/", "AWS_REGION=x"}, Config{Table: "locks", ClockSkew: ddbstore.DefaultClockSkew, MaxLease: lockapi.MaxLease, KeepHistory: ddbstore.DefaultKeep, MaxState: lockapi.DefaultMaxState, KeepVersions: ddbstore.DefaultKeepVersions}, ""},
		{[]string{"STATELOCK_TABLE=" + arn, "STATELOCK_CLOCK_SKEW=1m30s"}, Config{Table: arn, ClockSkew: 90 * time.Second, MaxLease: lockapi.MaxLease, KeepHistory: ddbstore.DefaultKeep, MaxState: lockapi.DefaultMaxState, KeepVersions: ddbstore.DefaultKeepVersions}, ""},
		{
			[]string{
				"STATELOCK_TABLE=locks", "STATELOCK_CLOCK_SKEW=0s", "STATELOCK_DEFAULT_LEASE=1m", "STATELOCK_MAX_LEASE=2h",
				"STATELOCK_NOTICE=30s", "STATELOCK_MAX_HOLD=12h", "STATELOCK_KEEP_HISTORY=720h",
				"STATELOCK_MAX_STATE=1000", "STATELOCK_KEEP_VERSIONS=7", "STATELOCK_REQUIRE_LOCK=true",
				"STATELOCK_SERVES=history", "STATELOCK_TOPIC=arn:aws:sns:eu-central-1:111122223333:locks",
			},
			Config{"locks", 0, time.Minute, 2 * time.Hour, 30 * time.Second, 12 * time.Hour, 720 * time.Hour, 1000, 7, true, nil, dutyHistory, "arn:aws:sns:eu-central-1:111122223333:locks", false},
			"",
		},
		{
			[]string{"STATELOCK_TABLE=locks", "STATELOCK_DEFAULT_LEASE=3h", "STATELOCK_MAX_LEASE=2h"},
			Config{},
			"STATELOCK_DEFAULT_LEASE, STATELOCK_MAX_LEASE, STATELOCK_MAX_HOLD: the default lease must be between 5s and 2h0m0s",
		},
		{
			[]string{"STATELOCK_TABLE=locks", "STATELOCK_DEFAULT_LEASE=120s", "STATELOCK_MAX_HOLD=60s"},
			Config{},
			"STATELOCK_DEFAULT_LEASE, STATELOCK_MAX_LEASE, STATELOCK_MAX_HOLD: the default lease, 2m0s, is longer than the longest hold, 1m0s: no acquire that doesn't say would be granted",
		},
		{
			[]string{"STATELOCK_TABLE=locks", "STATELOCK_KEEP_HISTORY=0s"},
			Config{},
			"STATELOCK_KEEP_HISTORY: must be more than 0, or each record would expire at once",
		},
		{nil, Config{}, "STATELOCK_TABLE: required, the name of the DynamoDB table"},
		{[]string{"STATELOCK_TABLE="}, Config{}, "STATELOCK_TABLE: required, the name of the DynamoDB table"},
		{[]string{"STATELOCK_TABLE=a b"}, Config{}, `STATELOCK_TABLE: "a b" is not a DynamoDB table name`},
		{[]string{"STATELOCK_TABLE=ab"}, Config{}, `STATELOCK_TABLE: "ab" is not a DynamoDB table name`},
		{[]string{"STATELOCK_TABLE=arn:aws:dynamodb:eu-central-1:111122223333:table/ab"}, Config{}, `STATELOCK_TABLE: "arn:aws:dynamodb:eu-central-1:111122223333:table/ab" is not a DynamoDB table name`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_CLOCK_SKEW=5"}, Config{}, `STATELOCK_CLOCK_SKEW: "5" is not a duration such as 5s`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_CLOCK_SKEW=-1s"}, Config{}, "STATELOCK_CLOCK_SKEW: -1s is negative"},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_KEEP_VERSIONS=0"}, Config{}, `STATELOCK_KEEP_VERSIONS: "0" is not a whole number from 1`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_MAX_STATE=6MB"}, Config{}, `STATELOCK_MAX_STATE: "6MB" is not a whole number from 1`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_REQUIRE_LOCK=1"}, Config{}, `STATELOCK_REQUIRE_LOCK: "1" is neither true nor false`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_SERVES="}, Config{}, `STATELOCK_SERVES: "" is none of api, history, ops, sweep`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_TOPIC=locks"}, Config{}, `STATELOCK_TOPIC: "locks" is not the ARN of an SNS topic`},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_JWT=true"}, Config{}, "STATELOCK_JWT: STATELOCK_ISSUERS must say whose JWTs may do what"},
		{[]string{"STATELOCK_TABLE=locks", "STATELOCK_TABEL=x"}, Config{}, "STATELOCK_TABEL: no such setting"},
		{
			[]string{"STATELOCK_X=", "STATELOCK_CLOCK_SKEW=x"},
			Config{},
			"STATELOCK_X: no such setting\nSTATELOCK_CLOCK_SKEW: \"x\" is not a duration such as 5s\nSTATELOCK_TABLE: required, the name of the DynamoDB table",
		},
	} {
		got, err := configFrom(test.environ)
		switch {
		case test.problem == "" && (err != nil || !reflect.DeepEqual(got, test.want)):
			t.Errorf("%q: %+v, %v; want %+v", test.environ, got, err, test.want)
		case test.problem != "" && (err == nil || err.Error() != test.problem):
			t.Errorf("%q: error %v, want %s", test.environ, err, test.problem)
		}
	}
}
