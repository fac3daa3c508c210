package main

import (
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/client"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                  "0s",
		0:                             "0s",
		59999 * time.Millisecond:      "59s",
		time.Minute:                   "1m0s",
		time.Hour - 1:                 "59m59s",
		90 * time.Minute:              "1h30m",
		24*time.Hour - 1:              "23h59m",
		50*time.Hour + 59*time.Minute: "2d2h",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 5, 6, 12, 0, 0, 0, time.UTC)
	for want, v := range map[string]client.View{
		"unlocked":                           {State: "unlocked", Fence: 7},
		"held by ci-7 for 3m12s":             {State: "held", Owner: "ci-7", AcquiredAt: "2031-05-06T11:56:48.000Z"},
		"held by a for 1m0s, lease 45s left": {State: "held", Owner: "a", AcquiredAt: "2031-05-06T11:59:00.000Z", LeaseUntil: "2031-05-06T12:00:45.500Z"},
		"stale for 1m0s, held by a for 2h0m, lease lapsed 5m0s ago": {
			State: "stale", Owner: "a", AcquiredAt: "2031-05-06T10:00:00.000Z",
			StaleAt: "2031-05-06T11:59:00.000Z", LeaseUntil: "2031-05-06T11:55:00.000Z",
		},
		"torn: state and ledger disagree, and nothing is done to it": {State: "held", Torn: true},
	} {
		if got := describe(v, now); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
