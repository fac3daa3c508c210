package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/localtest/broken"
	"github.com/statelock/statelock/localtest/torture"
)

// errViolated is the error of a campaign that found something.
var errViolated = errors.New("violations were found")

// embedded is the name of the engine in this process.
const embedded = "embedded"

func newCommand() *cobra.Command {
	c := torture.Campaign{Config: torture.Default()}
	var engine, mistake string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "torture",
		Short: "Torture the lock service and check what its clients are told",
		Long: `Torture the lock service and check what its clients are told.

Each seed is a run: clients that acquire, renew, release, crash and interfere,
through a network that loses, repeats, delays and breaks, and then the check that
some order of all transitions explains every answer. Without a bound it makes 100
runs. The first run with a violation ends the campaign: its seed, the shortest
part of its history that shows the violation, and the way to run it again are
printed, and the status is 1.`,
		Example: `  torture --duration 10m
  torture --ops 200000
  torture --seed 1234 --seeds 20          the runs from seed 1234 on
  torture --broken spent-forgotten        see a store with a mistake be caught`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Seeds == 0 && c.Requests == 0 && c.Duration == 0 {
				c.Seeds = 100
			}
			if engine != embedded {
				c.Config.Endpoint = engine
			}
			if mistake != "" {
				var err error
				if c.Config.Broken, err = brokenStore(mistake); err != nil {
					return err
				}
			}
			return run(cmd, c, asJSON)
		},
	}
	f := cmd.Flags()
	f.DurationVar(&c.Duration, "duration", 0, "for how long to begin new runs")
	f.IntVar(&c.Requests, "ops", 0, "how many requests to make, in all")
	f.IntVar(&c.Seeds, "seeds", 0, "how many runs to make")
	f.Uint64Var(&c.First, "seed", 0, "the first run's seed; the others count up from it")
	f.IntVar(&c.Config.Requests, "ops-per-seed", c.Config.Requests, "how many requests a run makes")
	f.IntVar(&c.Config.Clients, "clients", c.Config.Clients, "how many clients there are at a time")
	f.DurationVar(&c.Config.Patience, "patience", c.Config.Patience, "how long to look for an order of one lock's history")
	f.StringVar(&engine, "engine", embedded, "the `URL` of the DynamoDB to use instead of the embedded one")
	f.StringVar(&mistake, "broken", "", "torture a store with a `mistake`: "+strings.Join(mistakes(), ", "))
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return cmd
}

func mistakes() []string {
	var names []string
	for _, b := range broken.Stores() {
		names = append(names, b.Name)
	}
	return names
}

func brokenStore(name string) (broken.Store, error) {
	for _, b := range broken.Stores() {
		if b.Name == name {
			return b, nil
		}
	}
	return broken.Store{}, fmt.Errorf("--broken %s: there are %s", name, strings.Join(mistakes(), ", "))
}

// run makes the campaign and prints what it found.
func run(cmd *cobra.Command, c torture.Campaign, asJSON bool) error {
	line := newProgress(cmd.ErrOrStderr())
	c.Progress = line.show
	start := time.Now()
	r, err := c.Run(cmd.Context())
	line.end()
	if err != nil && len(r.Violations) == 0 {
		return err
	}
	s := summarize(c, r, time.Since(start))
	if asJSON {
		out := json.NewEncoder(cmd.OutOrStdout())
		out.SetIndent("", "  ")
		err = out.Encode(s)
	} else {
		err = s.print(cmd.OutOrStdout())
	}
	if err == nil && len(r.Violations) > 0 {
		return errViolated
	}
	return err
}

// print writes the summary for a person.
func (s summary) print(to io.Writer) error {
	var b strings.Builder
	for _, v := range s.Violations {
		fmt.Fprintf(&b, "VIOLATION, seed %d\n%s\n  run it again: %s\n\n", v.Seed, v.Text, v.Again)
	}
	fmt.Fprintf(&b, "%d requests by clients (%d calls with retries and copies, %d of them without an answer) from %d seeds, %d to %d\n",
		s.Requests, s.Calls, s.Untold, s.Seeds, s.First, s.First+uint64(max(s.Seeds, 1))-1)
	fmt.Fprintf(&b, "%.1f s, %.0f requests a second\n", s.Seconds, s.Rate)
	counts(&b, "faults", s.Faults)
	counts(&b, "answers", s.Answers)
	fmt.Fprintf(&b, "violations: %d\n", len(s.Violations))
	_, err := io.WriteString(to, b.String())
	return err
}
