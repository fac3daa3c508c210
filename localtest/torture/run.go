package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// The rules that Run checks beside those of package history.
const (
	StoreDisagrees = "the store found its database out"
	LeftTorn       = "the item that is left is torn"
)

// Report tells what a run, or several, did and found.
type Report struct {
	Seeds    int              `json:"seeds"`
	Requests int              `json:"requests"` // by clients
	Calls    int              `json:"calls"`    // tries of requests, and copies
	Untold   int              `json:"untold"`   // of these, those whose outcome no client learned
	Weathers map[string]int   `json:"weathers"`
	Faults   map[string]int64 `json:"faults"`
	Answers  map[string]int   `json:"answers"`
	Ran      time.Duration    `json:"ran"`     // by the clients, in sum over the seeds
	Checked  time.Duration    `json:"checked"` // the same by the checks
	// Complaints are the store's that the database is not what it takes it for.
	Complaints int64       `json:"complaints"`
	Violations []Violation `json:"violations"`
}

// Violation is a history's violation and the seed of the run.
type Violation struct {
	Seed uint64
	history.Violation
}

// add takes in the report of another run.
func (r *Report) add(other Report) {
	r.Seeds += other.Seeds
	r.Requests += other.Requests
	r.Calls += other.Calls
	r.Untold += other.Untold
	r.Ran += other.Ran
	r.Checked += other.Checked
	r.Complaints += other.Complaints
	r.Weathers = sum(r.Weathers, other.Weathers)
	r.Faults = sum(r.Faults, other.Faults)
	r.Answers = sum(r.Answers, other.Answers)
	r.Violations = append(r.Violations, other.Violations...)
}

func sum[N int | int64](to, from map[string]N) map[string]N {
	if to == nil {
		return maps.Clone(from)
	}
	for k, n := range from {
		to[k] += n
	}
	return to
}

// Run makes one run and checks it. Violations are no error.
func Run(ctx context.Context, c Config, seed uint64) (r Report, err error) {
	w := weatherOf(seed)
	s, err := newService(ctx, c, seed, w)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	r = Report{Seeds: 1, Weathers: map[string]int{w.name: 1}, Answers: map[string]int{}}
	start := time.Now()
	if w.clients > 0 {
		c.Clients = w.clients
	}
	if err := s.work(ctx, c, seed, w.names(), &r); err != nil {
		return r, fmt.Errorf("seed %d: %w", seed, err)
	}
	s.settle()
	checking := time.Now()
	found, err := s.check(ctx, c, w)
	r.Ran, r.Checked = checking.Sub(start), time.Since(checking)
	for _, v := range found {
		r.Violations = append(r.Violations, Violation{seed, v})
	}
	r.count(s)
	return r, err
}

// work lets the clients do their requests.
func (s *service) work(ctx context.Context, c Config, seed uint64, workspaces []string, r *Report) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for n := range c.Clients {
		one := newClient(&s.system, seed, n, workspaces)
		all.Go(func() {
			err := one.run(ctx, c.Requests/c.Clients)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			r.Requests += one.requests
			r.Answers = sum(r.Answers, one.answers)
		})
	}
	all.Wait()
	return failed
}

// count counts what the run recorded.
func (r *Report) count(s *service) {
	r.Complaints = s.disagreed.Load()
	for _, c := range s.recorder.Calls() {
		r.Calls++
		if !c.Told {
			r.Untold++
		}
	}
	r.Faults = map[string]int64{}
	for _, in := range []*faults.Injector{s.toService, s.toDatabase} {
		for kind, n := range in.Counts() {
			if kind != faults.None && n > 0 {
				r.Faults[in.Hop+": "+kind.String()] = n
			}
		}
	}
}

// check looks at what is left, and checks the history with that in the end.
func (s *service) check(ctx context.Context, c Config, w weather) ([]history.Violation, error) {
	var found []history.Violation
	for _, ws := range w.names() {
		look := s.recorder.Begin(history.Call{Client: "the end", Kind: history.Read, Request: lockmodel.Request{Workspace: ws}})
		l, err := s.quiet.Lock(ctx, ws)
		if err != nil {
			return nil, err
		}
		look.Answered(lockmodel.Answer{Lock: l.View(lockmodel.Terms{})}, 1)
		if l.Torn() && !w.tampering {
			found = append(found, history.Violation{Rule: LeftTorn, Workspace: ws, What: fmt.Sprintf("%+v", l)})
		}
		if l.Exists {
			s.witness.keep(history.Image{Workspace: ws, State: l.State, Holders: l.Holders, Fence: l.Fence, LockID: l.LockID, Runner: l.Runner})
		}
	}
	for i := range found {
		found[i].Known = len(s.recorder.Calls())
	}
	if n := s.disagreed.Load(); n > 0 && c.Broken.Name == "" {
		found = append(found, history.Violation{Rule: StoreDisagrees, What: fmt.Sprintf("%d times", n)})
	}
	calls := s.recorder.Calls()
	found = slices.Concat(found, history.Check(calls, history.Options{Patience: c.Patience}), history.Direct(calls))
	if !w.tampering {
		found = append(found, history.Images(s.witness.images, calls)...)
	}
	return found, nil
}

// tableName names the table of a run: its own, also where several processes
// share a database.
func tableName(seed uint64) string { return fmt.Sprintf("torture-%d-%s", seed, uuid.NewString()) }
