package e2e

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/statelock/statelock/localtest/engines"
	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

var update = flag.Bool("update", false, "rewrite the table of docs/comparison.md")

// place is somewhere to keep state and lock, behind a hop that can go wrong.
type place struct {
	name    string
	net     *proxy
	backend string // the backend block
	// state gives the current state as it is stored, nil where there is none.
	state func() []byte
	// lock gives the lock as it is stored, nil where there is none.
	lock func() []byte
	// giveUp records that the holder is gone, where there is such a thing.
	giveUp func() error
	// leased is the same with leases, nil where there is no such thing.
	leased func() place
	// restore makes the earlier state current again in which the thing is this.
	restore func(what string) error
}

// project makes a folder that keeps its state there.
func (l place) project(t *testing.T) *project {
	t.Helper()
	p := kind{name: "terraform", program: terraform(t)}.folder(t, things)
	p.write(t, "backend.tf", l.backend)
	p.run(t, "init").works(t)
	return p
}

// scenario is a situation that people get into. It tells what became of it.
type scenario struct {
	name string
	run  func(*testing.T, place) string
}

// TestPeers puts Terraform's own S3 backend, with each of its two locks, and
// this service into the same situations, and compares what happens with the
// table in docs/comparison.md.
func TestPeers(t *testing.T) {
	t.Parallel()
	terraform(t)
	moto := engines.Moto.ForTest(t, engines.Options{})
	prepareS3(t, moto)
	const path = "../../docs/comparison.md"
	places := []func(*testing.T, string) place{
		func(t *testing.T, key string) place {
			return s3(t, moto, key, "S3, lock in DynamoDB", `dynamodb_table = "locks"`)
		},
		func(t *testing.T, key string) place { return s3(t, moto, key, "S3, lock file", `use_lockfile = true`) },
		func(t *testing.T, _ string) place { return statelockPlace(t) },
	}
	names := []string{"S3, lock in DynamoDB", "S3, lock file", "statelock"}
	all := slices.Concat(scenarios, mishaps)
	happened := make([][]string, len(all))
	t.Run("scenarios", func(t *testing.T) {
		for n, sc := range all {
			happened[n] = make([]string, len(places))
			for m, at := range places {
				t.Run(sc.name+", "+names[m], func(t *testing.T) {
					t.Parallel()
					happened[n][m] = sc.run(t, at(t, fmt.Sprint("key", n)))
				})
			}
		}
	})
	if slices.ContainsFunc(happened, func(row []string) bool { return slices.Contains(row, "") }) {
		return // some failed, or were not asked for: there is no whole table
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| what happens | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for n, sc := range all {
		fmt.Fprintf(&table, "| %s | %s |\n", sc.name, strings.Join(happened[n], " | "))
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- table -->\n", "<!-- end of table -->\n"
	before, rest, ok := strings.Cut(string(doc), begin)
	written, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table between its marks", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if written != table.String() {
		t.Errorf("%s says\n%s\nwhat happened is\n%s", path, written, table.String())
	}
}

func statelockPlace(t *testing.T) place {
	t.Helper()
	s := serve(t)
	net := newProxy(t, s.url, tfOperation)
	l := place{
		name: "statelock", net: net, backend: kind{}.backend(t, net.url, "prod"),
		state: func() []byte { return s.state(t, "prod") },
		lock: func() []byte {
			v := s.lock(t, "prod")
			if v.State == lockmodel.Unlocked {
				return nil
			}
			return fmt.Appendf(nil, "%+v", v)
		},
		giveUp: func() error {
			_, err := s.MarkStale(t.Context(), client.Hold{Workspace: "prod"}, "its machine is gone")
			return err
		},
		restore: func(what string) error { return s.restoreThing(t, "prod", what) },
	}
	l.leased = func() place {
		leased := l
		leased.backend = kind{}.backend(t, net.url, "prod", "--lease=5s")
		return leased
	}
	return l
}

var lockIDIn = regexp.MustCompile(`ID[:=]\s*([0-9a-f-]{36})`)

// lockID is the holder's, as a client that is turned away is told.
func lockID(t *testing.T, p *project) string {
	t.Helper()
	heard := p.run(t, "plan").fails(t, "Error acquiring the state lock")
	found := lockIDIn.FindStringSubmatch(plain(heard))
	if found == nil {
		t.Fatalf("no lock id in\n%s", heard)
	}
	return found[1]
}

// free tells whether the next client gets the lock.
func (l place) free(t *testing.T, p *project) bool {
	t.Helper()
	code, heard := p.run(t, "plan").end(t)
	if code != 0 && !strings.Contains(heard, "Error acquiring the state lock") {
		t.Fatalf("plan said\n%s", heard)
	}
	return code == 0
}

// whose names the change that the current state has.
func (l place) whose(t *testing.T) string {
	t.Helper()
	state := l.state()
	if state == nil {
		return ""
	}
	return changeIn(t, state)
}

// changeIn names the change that a state has.
func changeIn(t *testing.T, state []byte) string {
	t.Helper()
	for _, r := range readState(t, state).Resources {
		for _, i := range r.Instances {
			if name, ok := i.input().(string); ok {
				return name
			}
		}
	}
	return ""
}

func ended(t *testing.T, p *process) string {
	t.Helper()
	if code, _ := p.end(t); code == 0 {
		return "works"
	}
	return "fails"
}

func freeOrNot(free bool) string {
	if free {
		return "the lock is free"
	}
	return "**the lock stays, with nobody behind it**"
}

var scenarios = []scenario{
	{"Two applies at once: what the second is told of the holder", func(t *testing.T, l place) string {
		first, second := l.project(t), l.project(t)
		held, open := first.applyHeld(t, "one")
		defer func() { open(); held.works(t) }()
		heard := plain(second.run(t, "plan").fails(t, "Error acquiring the state lock"))
		if strings.Contains(heard, "Operation: OperationTypeApply") {
			return "lock id, who, what, since when"
		}
		return "lock id (Terraform 1.11 shows no more of the http backend's answer; OpenTofu all of it)"
	}},
	{"Two applies at once, the second with `-lock-timeout`", func(t *testing.T, l place) string {
		first, second := l.project(t), l.project(t)
		held, open := first.applyHeld(t, "one")
		waiter := second.apply(t, "two", "-lock-timeout=10m")
		waiter.await(t, "Acquiring state lock")
		open()
		held.works(t)
		return "waits, then " + ended(t, waiter)
	}},
	{"`force-unlock` with the right id while the holder works", func(t *testing.T, l place) string {
		first, second := l.project(t), l.project(t)
		held, open := first.applyHeld(t, "one")
		unlocked := ended(t, second.run(t, "force-unlock", "-force", lockID(t, second)))
		intruded := l.free(t, second)
		open()
		code, _ := held.end(t)
		switch {
		case unlocked == "fails" && !intruded && code == 0:
			return "refused; the holder finishes"
		case unlocked == "works" && intruded:
			return "**done: the next one is let in beside a live holder**"
		}
		return fmt.Sprint(unlocked, intruded, code)
	}},
	{"A stands still (SIGSTOP) and is given up on; B applies; A wakes up and goes on", func(t *testing.T, l place) string {
		a, b := l.project(t), l.project(t)
		a.apply(t, "first").works(t)
		zombie, wake := a.applyHeld(t, "a")
		zombie.signalGroup(syscall.SIGSTOP)
		if err := l.giveUp(); err != nil {
			t.Fatal(err)
		}
		b.run(t, "force-unlock", "-force", lockID(t, b)).works(t)
		b.apply(t, "b").works(t)
		wake()
		zombie.signalGroup(syscall.SIGCONT)
		zombie.end(t)
		switch l.whose(t) {
		case "a":
			return "**A's state replaces B's: what B made is forgotten**"
		case "b":
			return "A's write is refused, B's state stays"
		}
		return "neither: " + l.whose(t)
	}},
	{"`-lock=false` while somebody holds the lock", func(t *testing.T, l place) string {
		first, second := l.project(t), l.project(t)
		held, open := first.applyHeld(t, "one")
		defer func() { open(); held.end(t) }()
		if ended(t, second.apply(t, "two", "-lock=false")) == "works" && l.whose(t) == "two" {
			return "**writes the state under the holder's feet**"
		}
		return "refused"
	}},
	{"The reply to the lock request is lost once", func(t *testing.T, l place) string {
		p, next := l.project(t), l.project(t)
		l.net.next("lock", loseReply)
		how := ended(t, p.apply(t, "one"))
		if err := l.net.spent(); err != nil {
			t.Error(err)
		}
		return "the apply " + how + "; " + freeOrNot(l.free(t, next))
	}},
	{"The reply to the state write is lost once", func(t *testing.T, l place) string {
		p, next := l.project(t), l.project(t)
		l.net.next("post", loseReply)
		how := ended(t, p.apply(t, "one"))
		if err := l.net.spent(); err != nil {
			t.Error(err)
		}
		return "the apply " + how + "; " + freeOrNot(l.free(t, next))
	}},
	{"The reply to the unlock request is lost once", func(t *testing.T, l place) string {
		p, next := l.project(t), l.project(t)
		l.net.next("unlock", loseReply)
		how := ended(t, p.apply(t, "one"))
		if err := l.net.spent(); err != nil {
			t.Error(err)
		}
		return "the apply " + how + "; " + freeOrNot(l.free(t, next))
	}},
}
