package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

var waiters = flag.Int("waiters", 5, "how many wait for one lock at once")

// Many wait for one workspace: once as terraform apply -lock-timeout, and once
// as statelock run --wait around the same apply. Each gets the lock once, alone.
// What it took is printed side by side (go test -v).
func TestManyWaiters(t *testing.T) {
	t.Parallel()
	if *waiters < 2 {
		t.Fatal("-waiters: with fewer than 2 nobody waits")
	}
	k := kind{name: "terraform", program: terraform(t)}
	theirs := race(t, k, "terraform apply -lock-timeout", "lock", func(p *project, change, _ string) *process {
		return p.apply(t, change, "-lock-timeout=60m")
	})
	ours := race(t, k, "statelock run --wait", "acquire", func(p *project, change, url string) *process {
		return start(t, p.dir, append(p.env, "STATELOCK_URL="+url), statelock(t), "run", "--ws=prod", "--wait=60m", "--",
			p.program, "apply", "-auto-approve", "-input=false", "-lock=false", "-var=change="+change)
	})
	// A free lock finds one of those who wait within their longest pause, which
	// is half as long again as the usual one. The rest is for a slow machine.
	if bound := 3*client.DefaultPoll/2 + 10*time.Second; slices.Max(ours) > bound {
		t.Errorf("the lock was free for %v while somebody waited, want %v at most", slices.Max(ours), bound)
	}
	_ = theirs // Terraform's pauses grow to 16 s; how that ends is luck
}

// race lets all of them loose at the same time, and gives how long the lock was
// free from one to the next.
func race(t *testing.T, k kind, name, request string, run func(p *project, change, url string) *process) (gaps []time.Duration) {
	t.Helper()
	s := serve(t)
	net := newProxy(t, s.url, func(r *http.Request) string {
		if r.URL.Path == "/v1/acquire" {
			return "acquire"
		}
		return tfOperation(r)
	})
	// The state of those who don't lock is another workspace's.
	ws := "prod"
	if request == "acquire" {
		ws = "state"
	}
	var projects []*project
	for range *waiters {
		p := k.project(t, net.url, ws, things)
		projects = append(projects, p)
	}
	begin := time.Now()
	var all []*process
	for n, p := range projects {
		all = append(all, run(p, fmt.Sprint("w", n), net.url))
	}
	for _, one := range all {
		one.endsWithin(t, time.Hour)
		one.works(t)
	}
	took := time.Since(begin)

	var events []client.Event
	for e, err := range s.History(t.Context(), "prod") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	slices.Reverse(events)
	if len(events) != 2**waiters {
		t.Fatalf("%d events, want an acquire and a release of each", len(events))
	}
	first := events[0].At
	for n := 0; n < len(events); n += 2 {
		if events[n].Op != "acquire" || events[n+1].Op != "release_lock" || events[n].Fence != int64(n/2+1) {
			t.Fatalf("not one at a time: %+v, %+v", events[n], events[n+1])
		}
		if n > 0 {
			gaps = append(gaps, events[n].At.Sub(events[n-1].At))
		}
	}
	if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != int64(*waiters) {
		t.Errorf("fence %d", v.Fence)
	}
	if got := serials(t, s, ws); len(got) < min(*waiters, 50) || !rising(got) {
		t.Errorf("serials %v", got)
	}
	sorted := slices.SortedFunc(slices.Values(gaps), cmp.Compare)
	t.Logf("%-30s %d waiters: done in %5.1f s, the last had it after %5.1f s; %5d requests for the lock; handed over in %5d ms (median), %5d ms (longest)",
		name, *waiters, took.Seconds(), events[len(events)-2].At.Sub(first).Seconds(), net.count(request),
		sorted[len(sorted)/2].Milliseconds(), sorted[len(sorted)-1].Milliseconds())
	return gaps
}
