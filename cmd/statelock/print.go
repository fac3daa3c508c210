package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// printJSON prints a line of JSON.
func printJSON(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// describe says in a few words how a lock stands.
func describe(v client.View, now time.Time) string {
	text := v.State
	switch {
	case v.Torn:
		return "torn: state and ledger disagree, and nothing is done to it"
	case v.State == lockmodel.Unlocked:
		return text
	case v.State == lockmodel.Stale:
		text = "stale for " + age(v.StaleAt, now) + ", held"
	}
	text += " by " + v.Owner + " for " + age(v.AcquiredAt, now)
	if v.LeaseUntil != "" {
		text += ", lease " + lease(v, now)
	}
	return text
}

// lease says how long the lease still runs, "" where there is none.
func lease(v client.View, now time.Time) string {
	until, err := time.Parse(time.RFC3339, v.LeaseUntil)
	if err != nil {
		return ""
	}
	if left := until.Sub(now); left > 0 {
		return span(left) + " left"
	}
	return "lapsed " + span(now.Sub(until)) + " ago"
}

// age says how long ago a time of the service's was, by this machine's clock.
func age(at string, now time.Time) string {
	since, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return ""
	}
	return span(now.Sub(since))
}

// span spells a length of time in its two greatest units.
func span(d time.Duration) string {
	seconds := int64(max(d, 0) / time.Second)
	for _, unit := range []struct {
		seconds int64
		name    string
		below   int64
		lower   string
	}{{86400, "d", 3600, "h"}, {3600, "h", 60, "m"}, {60, "m", 1, "s"}} {
		if seconds >= unit.seconds {
			return fmt.Sprintf("%d%s%d%s", seconds/unit.seconds, unit.name, seconds%unit.seconds/unit.below, unit.lower)
		}
	}
	return fmt.Sprintf("%ds", seconds)
}

// printTable prints locks for people.
func printTable(w io.Writer, locks []client.View, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WORKSPACE\tSTATE\tAGE\tLEASE\tFENCE\tOWNER\tLOCK ID")
	for _, v := range locks {
		state := v.State
		if v.Torn {
			state = "torn"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", v.Workspace, state, orDash(age(v.AcquiredAt, now)), orDash(lease(v, now)), v.Fence, orDash(v.Owner), orDash(v.LockID))
	}
	return t.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
