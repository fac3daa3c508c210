package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/statelock/statelock/localtest/torture"
)

// summary is what a campaign did and found.
type summary struct {
	torture.Report
	First      uint64      `json:"first_seed"`
	Seconds    float64     `json:"seconds"`
	Rate       float64     `json:"requests_per_second"`
	Violations []violation `json:"violations"`
}

// violation is one for a reader.
type violation struct {
	Seed  uint64 `json:"seed"`
	Rule  string `json:"rule"`
	Calls int    `json:"after_calls"` // of the run, until it was there to see
	Text  string `json:"text"`
	Again string `json:"again"` // the command that makes the run again
}

func summarize(c torture.Campaign, r torture.Report, took time.Duration) summary {
	s := summary{Report: r, First: c.First, Seconds: took.Seconds(), Rate: float64(r.Requests) / took.Seconds()}
	for _, v := range r.Violations {
		s.Violations = append(s.Violations, violation{v.Seed, v.Rule, v.Known, v.String(), again(c, v.Seed)})
	}
	return s
}

// again is the command that makes a run again: a few times, since goroutines
// interleave as they like.
func again(c torture.Campaign, seed uint64) string {
	command := fmt.Sprintf("go run ./localtest/cmd/torture --seed %d --seeds 1 --clients %d --ops-per-seed %d", seed, c.Config.Clients, c.Config.Requests)
	if c.Config.Endpoint != "" {
		command += " --engine " + c.Config.Endpoint
	}
	if c.Config.Broken.Name != "" {
		command += " --broken " + c.Config.Broken.Name
	}
	return command
}

// counts writes named numbers in columns.
func counts[N int | int64](b *strings.Builder, title string, of map[string]N) {
	fmt.Fprintf(b, "%s:\n", title)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "  %8d %s\n", of[name], name)
	}
}
