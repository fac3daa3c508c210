package ddbstore_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/exchange"
	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

func open(t *testing.T) (*testdb.DB, *ddbstore.Store) {
	t.Helper()
	db := testdb.Open(t)
	return db, ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, ClockSkew: ddbstore.DefaultClockSkew})
}

// request is a complete request with a request id of its own.
func request(o lockmodel.Op, ws string) lockmodel.Request {
	r := lockmodel.Request{Op: o, Workspace: ws, ID: uuid.NewString()}
	if o == lockmodel.Acquire {
		r.LockID, r.Runner = uuid.NewString(), "runner"
	}
	return r
}

// renewal renews the hold that an acquire began.
func renewal(acquire lockmodel.Request) lockmodel.Request {
	r := request(lockmodel.Renew, acquire.Workspace)
	r.LockID, r.Lease = acquire.LockID, time.Minute.Milliseconds()
	return r
}

func do(t *testing.T, s *ddbstore.Store, r lockmodel.Request) lockmodel.Outcome {
	t.Helper()
	out, err := s.Transition(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestExchange(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
		if op == "lock_state" {
			l, err := s.Lock(ctx, ws)
			if err != nil {
				t.Fatal(err)
			}
			return 0, exchange.Object(t, l.View(lockmodel.Terms{}))
		}
		o, err := lockmodel.ParseOp(op)
		if err != nil {
			t.Fatal(err)
		}
		r := request(o, ws)
		r.Runner = runner
		return 0, exchange.Object(t, do(t, s, r).Answer())
	})
}

// Every transition, done or refused, is one request to DynamoDB.
func TestOneRequestPerTransition(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	counted := map[string]bool{}
	count := func(r lockmodel.Request) {
		t.Helper()
		db.Requests()
		out := do(t, s, r)
		if n := db.Requests(); n != 1 {
			t.Errorf("%s, %s: %d requests", r.Op, out.Situation, n)
		}
		counted[fmt.Sprint(r.Op, out.Rule.Done())] = true
	}
	acquire := request(lockmodel.Acquire, "prod")
	count(request(lockmodel.ReleaseLock, "prod")) // unseen
	count(acquire)
	count(acquire) // repeat
	count(request(lockmodel.Acquire, "prod"))
	count(request(lockmodel.ForceUnlock, "prod"))
	count(request(lockmodel.MarkStale, "prod"))
	count(request(lockmodel.MarkStale, "prod"))
	count(request(lockmodel.Acquire, "prod"))
	count(request(lockmodel.ForceUnlock, "prod"))
	count(acquire) // spent
	again := request(lockmodel.Acquire, "prod")
	count(again)
	count(renewal(again))
	count(request(lockmodel.ReleaseLock, "prod"))
	count(request(lockmodel.WriteState, "prod"))
	db.Set(t, "prod", map[string]any{"holders": 2})
	for _, r := range everyOperation() {
		count(r)
	}
	if len(counted) != 2*len(lockmodel.Ops()) {
		t.Errorf("not every operation was both done and refused: %v", counted)
	}
	db.Requests()
	if _, err := s.Lock(t.Context(), "prod"); err != nil || db.Requests() != 1 {
		t.Errorf("reading a lock takes more than a request (error %v)", err)
	}
}

// The ledger walls the state a second time: with the state tampered to unlocked
// under a holder, the table refuses the write that would make two.
func TestSecondHolderIsRefusedByTheLedger(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	do(t, s, request(lockmodel.Acquire, "prod"))
	db.Set(t, "prod", map[string]any{"st": "unlocked"})
	before := db.Get(t, "prod")
	out := do(t, s, request(lockmodel.Acquire, "prod"))
	if a := out.Answer(); a.OK || !strings.HasPrefix(a.Reason, "second holder refused: ") || a.Code != lockmodel.CodeLedger {
		t.Errorf("answer %+v", a)
	}
	unchanged(t, db, before)
}

// With two holders on the ledger every operation refuses, whatever the state.
func TestTornLedgerRefusesEverything(t *testing.T) {
	t.Parallel()
	for _, state := range lockmodel.States() {
		db, s := open(t)
		do(t, s, request(lockmodel.Acquire, "prod"))
		db.Set(t, "prod", map[string]any{"st": state, "holders": 2})
		before := db.Get(t, "prod")
		for _, r := range everyOperation() {
			if a := do(t, s, r).Answer(); a.OK || a.Code != lockmodel.CodeLedger {
				t.Errorf("%s on %s with 2 holders: %+v", r.Op, state, a)
			}
		}
		unchanged(t, db, before)
	}
}

func everyOperation() []lockmodel.Request {
	var all []lockmodel.Request
	for _, o := range lockmodel.Ops() {
		r := request(o, "prod")
		if o == lockmodel.Renew {
			r = renewal(request(lockmodel.Acquire, "prod"))
		}
		all = append(all, r)
	}
	return all
}

func unchanged(t *testing.T, db *testdb.DB, before any) {
	t.Helper()
	if after := db.Get(t, "prod"); !reflect.DeepEqual(any(after), before) {
		t.Errorf("the item was changed\nfrom %v\nto   %v", before, after)
	}
}

// Leases, notice and the greatest hold are in the write: each deadline is met
// from both sides, by a clock that the test moves.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(1_800_000_000_000)
	s := ddbstore.New(db.Client, ddbstore.Options{
		Table: db.Table, ClockSkew: time.Second, Notice: time.Minute, MaxHold: time.Hour,
		Now: func() time.Time { return clock },
	})
	step := func(later time.Duration, o lockmodel.Op, lease time.Duration, code lockmodel.Code) {
		t.Helper()
		clock = clock.Add(later)
		r := request(o, "prod")
		r.Lease = lease.Milliseconds()
		if o.NeedsLockID() {
			r.LockID = "the-hold"
		}
		if out := do(t, s, r); out.Rule.Code != code || out.Wrote() != (code == "") {
			t.Errorf("%s at %s: %s, %v", o, clock, out.Situation, out.Err())
		}
	}
	step(0, lockmodel.Acquire, 30*time.Second, "")
	step(30*time.Second, lockmodel.MarkStale, 0, lockmodel.CodeLeaseLive)
	step(time.Second, lockmodel.MarkStale, 0, lockmodel.CodeLeaseLive) // by a clock a second behind
	step(0, lockmodel.Renew, 30*time.Second, "")
	step(31*time.Second, lockmodel.MarkStale, 0, lockmodel.CodeLeaseLive)
	step(0, lockmodel.Renew, time.Hour, lockmodel.CodeMaxHold)
	step(time.Millisecond, lockmodel.MarkStale, 0, "")
	step(0, lockmodel.Renew, time.Minute, lockmodel.CodeStale)
	step(time.Minute, lockmodel.ForceUnlock, 0, lockmodel.CodeNotice)
	step(time.Second-time.Millisecond, lockmodel.ForceUnlock, 0, lockmodel.CodeNotice)
	step(time.Millisecond, lockmodel.ForceUnlock, 0, "")
}

func TestTransitionChecksItsRequest(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	db.Requests()
	for _, r := range []lockmodel.Request{
		{Op: lockmodel.Acquire, Workspace: "a//b", ID: "r", LockID: "l", Runner: "x"},
		{Op: lockmodel.Acquire, Workspace: "prod", ID: "r", LockID: "l"},
		{Op: lockmodel.Acquire, Workspace: "prod", ID: "r", Runner: "x"},
		{Op: lockmodel.ReleaseLock, Workspace: "prod"},
	} {
		if _, err := s.Transition(t.Context(), r); err == nil {
			t.Errorf("%+v was sent", r)
		}
	}
	if n := db.Requests(); n != 0 {
		t.Errorf("%d requests sent", n)
	}
}

// 64 clients race for each of many locks: one wins each, and all others are
// told of that one.
func TestRaceHasOneWinner(t *testing.T) {
	t.Parallel()
	const rounds, clients = 50, 64
	_, s := open(t)
	for round := range rounds {
		ws := fmt.Sprintf("race/%d", round)
		outs := make([]lockmodel.Outcome, clients)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range clients {
			wg.Go(func() {
				<-start
				r := request(lockmodel.Acquire, ws)
				r.Runner = fmt.Sprintf("client-%d", i)
				out, err := s.Transition(t.Context(), r)
				if err != nil {
					t.Error(err)
				}
				outs[i] = out
			})
		}
		close(start)
		wg.Wait()
		winners := map[string]bool{}
		for _, out := range outs {
			if out.Wrote() {
				winners[out.Lock.Runner] = true
			}
		}
		if len(winners) != 1 {
			t.Fatalf("%s: winners %v", ws, winners)
		}
		for _, out := range outs {
			if !out.Wrote() && (out.Rule.Code != lockmodel.CodeHeld || !winners[out.Lock.Runner]) {
				t.Errorf("%s: loser told %v", ws, out.Err())
			}
		}
		if l, err := s.Lock(t.Context(), ws); err != nil || !winners[l.Runner] || l.Fence != 1 {
			t.Errorf("%s: stored %+v, error %v", ws, l, err)
		}
	}
}
