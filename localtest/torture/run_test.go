package torture

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/broken"
	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/localtest/testdb"
)

// small is a configuration whose runs take no time. They are on the engine that
// the other suites are told to run on.
func small() Config {
	c := Default()
	c.Requests, c.Endpoint = 240, os.Getenv(testdb.EndpointVariable)
	return c
}

// Every weather is run, everything in it happens, and nothing is found. What is
// rare happens in one of a few rounds.
func TestEveryWeather(t *testing.T) {
	t.Parallel()
	var sum Report
	for round := range 6 {
		r, err := Campaign{Config: small(), First: uint64(round * len(weathers)), Seeds: len(weathers)}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sum.add(r)
		for _, v := range r.Violations {
			t.Errorf("seed %d: %s", v.Seed, v)
		}
		for _, w := range weathers {
			if r.Weathers[w.name] != 1 {
				t.Errorf("%d runs of %q", r.Weathers[w.name], w.name)
			}
		}
		if len(missing(sum)) == 0 || t.Failed() {
			break
		}
	}
	t.Logf("%d requests, %d calls, %d without an answer", sum.Requests, sum.Calls, sum.Untold)
	for _, what := range missing(sum) {
		t.Errorf("did not happen: %s", what)
	}
}

// missing gives what should happen and did not.
func missing(r Report) []string {
	var none []string
	for _, hop := range []string{"to the service", "to the database"} {
		for _, k := range faults.Kinds() {
			if name := hop + ": " + k.String(); r.Faults[name] == 0 {
				none = append(none, name)
			}
		}
	}
	for _, answer := range []string{
		"acquire done", "acquire repeat", "acquire held", "acquire stale", "acquire ledger", "acquire unknown",
		"renew done", "renew not_holder", "release_lock done", "release_lock repeat", "release_lock not_holder", "release_lock not_held",
		"mark_stale done", "mark_stale late", "mark_stale lease_live", "mark_stale stale",
		"force_unlock done", "force_unlock not_stale", "force_unlock not_holder",
		"lock_state held", "lock_state stale", "lock_state unlocked", "tampered",
	} {
		if r.Answers[answer] == 0 {
			none = append(none, answer)
		}
	}
	return none
}

// Without others to interfere, a seed makes the same run again.
func TestSeedReplays(t *testing.T) {
	t.Parallel()
	c := small()
	c.Clients, c.Requests = 1, 120
	run := func(seed uint64) Report {
		r, err := Run(t.Context(), c, seed)
		if err != nil {
			t.Fatal(err)
		}
		r.Ran, r.Checked = 0, 0
		return r
	}
	lostReplies := seedOf("one lock, lost replies")
	first := run(lostReplies)
	if diff := cmp.Diff(first, run(lostReplies)); diff != "" {
		t.Errorf("the second run differs:\n%s", diff)
	}
	if other := run(lostReplies + uint64(len(weathers))); cmp.Equal(first.Answers, other.Answers) || cmp.Equal(first.Faults, other.Faults) {
		t.Errorf("another seed runs alike: %+v", other)
	}
}

// The checks are checked: each store with a mistake is found out by what its
// clients are told, whether or not it notices by itself.
func TestBrokenStoresAreCaught(t *testing.T) {
	t.Parallel()
	// Some mistakes show best, or only, in one weather: their runs are in that.
	weather := map[string]string{
		"no-ledger": "tampering", "late-copies-act": "late copies",
		"spent-forgotten": "two clients and their copies", "frees-forgotten": "two clients and their copies",
	}
	const most = 40 // runs
	for _, b := range broken.Stores() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			c := small()
			c.Requests, c.Patience, c.Broken = 300, time.Second/4, b
			first, step := uint64(0), uint64(1)
			if w, ok := weather[b.Name]; ok {
				first, step = seedOf(w), uint64(len(weathers))
			}
			var sum Report
			for n := range uint64(most) {
				before := sum.Calls
				r, err := Run(t.Context(), c, first+n*step)
				if err != nil {
					t.Fatal(err)
				}
				sum.add(r)
				r.Violations = slices.DeleteFunc(r.Violations, func(v Violation) bool { return v.Rule == history.Undecided })
				if len(r.Violations) > 0 {
					t.Log(caught(before, r))
					return
				}
			}
			t.Errorf("%s: nobody noticed in %d calls", b.What, sum.Calls)
		})
	}
}

// seedOf gives the first seed whose runs are in a weather.
func seedOf(name string) uint64 {
	return uint64(slices.IndexFunc(weathers, func(w weather) bool { return w.name == name }))
}

// caught says what caught a broken store, and after how many calls at most.
func caught(before int, r Report) string {
	first := slices.MinFunc(r.Violations, func(a, b Violation) int { return a.Known - b.Known })
	return fmt.Sprintf("caught after %d calls: %s (seed %d; the store complained %d times)", before+first.Known, first.Rule, first.Seed, r.Complaints)
}
