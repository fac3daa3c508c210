package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/statelock/statelock/pkg/lockmodel"
)

func TestRealHistoriesAreClean(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		w := randomWorld(seed, 60)
		if disordered(t, w) {
			t.Fatalf("seed %d has no order", seed)
		}
		if found := append(w.check(), Direct(w.sorted())...); len(found) > 0 {
			t.Fatalf("seed %d: %v", seed, found[0])
		}
	}
}

// disordered reports whether there is no order, on which porcupine and the
// frontier must agree.
func disordered(t *testing.T, w *world) bool {
	t.Helper()
	calls, err := prepare(w.sorted(), w.skew)
	if err != nil {
		return true
	}
	all := withLandings(calls, 1)
	found := porcupine.CheckOperationsTimeout(model("ws"), operations(all), time.Minute)
	var f frontier
	stuck := f.orders(state{lock: lockmodel.NewLock("ws")}, all)
	if f.crowded || (stuck == nil) != (found == porcupine.Ok) {
		t.Errorf("porcupine says %s, the frontier %+v (crowded: %v)", found, stuck, f.crowded)
	}
	return stuck != nil
}

// One wrong word in one answer of a history is found.
func TestWrongAnswersAreFound(t *testing.T) {
	t.Parallel()
	anyAnswer := func(c *Call) bool { return c.Told }
	held := func(c *Call) bool { return c.showsHold() }
	done := func(c *Call) bool { return c.done() && !c.Answer.Repeat }
	for name, wrong := range map[string]struct {
		of      func(*Call) bool
		corrupt func(*lockmodel.Answer)
	}{
		"fence":       {anyAnswer, func(a *lockmodel.Answer) { a.Lock.Fence++ }},
		"owner":       {held, func(a *lockmodel.Answer) { a.Lock.Owner = "nobody" }},
		"lock id":     {held, func(a *lockmodel.Answer) { a.Lock.LockID = "other" }},
		"principal":   {held, func(a *lockmodel.Answer) { a.Lock.Principal = "other" }},
		"acquired":    {held, func(a *lockmodel.Answer) { a.Lock.AcquiredAt = "2027-01-15T09:00:00.000Z" }},
		"no acquired": {held, func(a *lockmodel.Answer) { a.Lock.AcquiredAt = "" }},
		"torn":        {anyAnswer, func(a *lockmodel.Answer) { a.Lock.Torn = true }},
		"state":       {held, func(a *lockmodel.Answer) { a.Lock.State = lockmodel.Unlocked }},
		"code":        {func(c *Call) bool { return c.refused() && c.Kind == Transition }, func(a *lockmodel.Answer) { a.Code += "x" }},
		"refused":     {done, func(a *lockmodel.Answer) { *a = lockmodel.Answer{Code: lockmodel.CodeLedger, Lock: a.Lock} }},
		"repeat":      {func(c *Call) bool { return done(c) && c.isA(lockmodel.Acquire) }, func(a *lockmodel.Answer) { a.Repeat = true }},
		"its fence":   {(*Call).tellsHolder, func(a *lockmodel.Answer) { a.Fence++ }},
		"its lock id": {(*Call).tellsHolder, func(a *lockmodel.Answer) { a.LockID = "other" }},
		"its holder":  {func(c *Call) bool { return c.isA(lockmodel.Acquire) && c.done() }, func(a *lockmodel.Answer) { a.Holder = "other" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for seed := range uint64(20) {
				w := randomWorld(seed, 40)
				var may []*Call
				for i := range w.calls {
					if wrong.of(&w.calls[i]) {
						may = append(may, &w.calls[i])
					}
				}
				if len(may) == 0 {
					continue
				}
				tried++
				c := may[rand.New(rand.NewPCG(seed, 2)).IntN(len(may))]
				before := c.line(at(0))
				wrong.corrupt(&c.Answer)
				if !disordered(t, w) {
					t.Errorf("seed %d: not found: %s\n was %s", seed, c.line(at(0)), before)
				}
			}
			if tried < 10 {
				t.Errorf("only %d histories have such an answer", tried)
			}
		})
	}
}

// An explanation shows the history up to the answer that can't be, and no more.
func TestExplanation(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.call("a", acquire("a"), 0, 10)
	w.call("b", acquire("b"), 20, 30)
	w.call("a", release("a"), 40, 50)
	w.call("b", acquire("b"), 60, 70)
	wrong := w.call("c", acquire("c"), 80, 90)
	wrong.Answer = lockmodel.Answer{OK: true, Holder: "runner-c", LockID: "c", Fence: 3, Lock: lockmodel.View{
		Workspace: "ws", State: lockmodel.Held, Owner: "runner-c", LockID: "c", Fence: 3, Principal: "p:c", AcquiredAt: "2027-01-15T08:00:00.085Z",
	}}
	w.call("b", release("b"), 100, 110)
	found := w.check()
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	v := found[0]
	if v.Rule != NotLinearizable || v.Workspace != "ws" || v.Known != 5 || len(v.Calls) != 5 || v.Calls[4].Client != "c" {
		t.Errorf("%+v", v)
	}
	text := v.String()
	for _, want := range []string{"the answer to c's acquire lock_id=c", "The lock is held, fence 2, owner runner-b", "80.0 – 90.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q:\n%s", want, text)
		}
	}
	if direct := Direct(w.sorted()); !slices.ContainsFunc(direct, func(v Violation) bool { return v.Rule == NeverBulldozed }) {
		t.Errorf("the direct checks find %v", direct)
	}
}

// A call whose outcome nobody learned has landed or was lost, whichever fits,
// and if it landed, then within its time.
func TestUnknownOutcomes(t *testing.T) {
	t.Parallel()
	const lost, landed = false, true
	for name, test := range map[string]struct {
		landed bool
		end    int64 // of the release whose outcome is unknown, made at 20
		reads  []int64
		want   bool
	}{
		"lost":                      {lost, 0, []int64{30, 50}, true},
		"lost and settled":          {lost, 40, []int64{30, 50}, true},
		"landed":                    {landed, 0, []int64{50, 70}, true},
		"landed before it settled":  {landed, 60, []int64{50, 70}, true},
		"landed after it settled":   {landed, 40, []int64{55, 70}, false},
		"landed between two looks":  {landed, 0, []int64{30, 70}, true},
		"settled between two looks": {landed, 60, []int64{45, 70}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.call("a", acquire("a"), 0, 10)
			var unknown Call
			if test.landed {
				for _, r := range test.reads[:1] {
					w.read("b", r-3, r) // sees it held
				}
				unknown = *w.call("a", release("a"), 20, 22)
				for _, r := range test.reads[1:] {
					w.read("b", r-3, r) // sees it unlocked
				}
			} else {
				for _, r := range test.reads {
					w.read("b", r-3, r)
				}
				w.calls = append(w.calls, Call{Client: "a", Request: unknown.Request, Start: at(20), Told: true})
				w.calls[len(w.calls)-1].Request = w.calls[0].Request
				w.calls[len(w.calls)-1].Request.Op = lockmodel.ReleaseLock
			}
			for i := range w.calls {
				if w.calls[i].isA(lockmodel.ReleaseLock) {
					w.calls[i].untold(test.end)
				}
			}
			if found := w.check(); (len(found) == 0) != test.want {
				t.Errorf("found %v", found)
			}
		})
	}
}

// An answer may come from a later delivery than the one that did it, but only
// where the database got several.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	for _, deliveries := range []int{0, 1, 2, 5} {
		w := newWorld()
		w.call("a", acquire("a"), 0, 10)
		w.call("a", acquire("a"), 0, 10) // answers that it was done before
		w.calls = w.calls[1:]
		w.calls[0].Deliveries = deliveries
		if found := w.check(); (len(found) == 0) != (deliveries > 1) {
			t.Errorf("%d deliveries: %v", deliveries, found)
		}
	}
}

// What a copy does after its request was answered has no place in any order,
// unless the network reports the copy as a call.
func TestLateCopies(t *testing.T) {
	t.Parallel()
	for _, reported := range []bool{false, true} {
		w := newWorld()
		w.call("a", acquire("a"), 0, 10)
		w.call("a", release("a"), 20, 30)
		w.call("b", acquire("b"), 40, 50)
		w.call("b", release("b"), 60, 70)
		c := w.call("a", acquire("a"), 80, 90) // for a client that is gone
		c.Copy = true
		c.untold(90)
		w.read("b", 100, 110)
		if !reported {
			w.calls = slices.Delete(w.calls, 4, 5)
		}
		if found := w.check(); (len(found) == 0) != reported {
			t.Errorf("reported %v: %v", reported, found)
		}
	}
}

// "late" is an answer only where the lock can have changed during the call.
func TestLate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		start int64
		skew  int64
		want  bool
	}{{15, 0, true}, {29, 0, true}, {31, 0, false}, {15, 10, true}, {15, 16, false}} {
		w := newWorld()
		w.skew = test.skew
		w.call("a", acquire("a"), 0, 10)
		w.call("a", release("a"), 20, 30) // at 25
		c := w.call("b", mark("b"), test.start, 40)
		c.Answer.Code = lockmodel.CodeLate
		if found := w.check(); (len(found) == 0) != test.want {
			t.Errorf("%+v: %v", test, found)
		}
	}
}

// A lease runs until the time that its holder was told.
func TestLeases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mark, skew int64
		refuse     bool
		want       bool
	}{
		{mark: 100, refuse: true, want: true},
		{mark: 100, refuse: false, want: false},
		{mark: 170, refuse: false, want: true},
		{mark: 170, refuse: true, want: false},
		{mark: 170, skew: 50, refuse: true, want: true},
		{mark: 170, skew: 50, refuse: false, want: false},
	} {
		w := newWorld()
		w.skew = test.skew
		w.call("a", leased("a", 100), 0, 10)      // at 5: until 105
		w.call("a", renew("a", "1", 100), 40, 60) // at 50: until 150
		held := w.lock
		c := w.call("b", mark("b"), test.mark-5, test.mark+5)
		l, r := held, c.Request
		r.Now, l.LeaseUntil = epoch+test.mark, epoch // long over
		if test.refuse {
			l.LeaseUntil = 2 * epoch
		}
		out := lockmodel.Step(l, r)
		out.Lock.LeaseUntil = held.LeaseUntil
		c.Answer = out.Answer()
		if found := w.check(); (len(found) == 0) != test.want {
			t.Errorf("%+v: %v", test, found)
		}
	}
}

// A tampered item is refused by all until it is mended.
func TestTampering(t *testing.T) {
	t.Parallel()
	tamper := func(w *world, state lockmodel.State, start int64) {
		w.lock.State = state
		w.calls = append(w.calls, Call{
			Client: "x", Kind: Tamper, Request: lockmodel.Request{Workspace: "ws"}, State: state,
			Start: at(start), End: at(start + 1), Told: true,
		})
	}
	w := newWorld()
	w.call("a", acquire("a"), 0, 10)
	tamper(w, lockmodel.Unlocked, 15)
	if c := w.call("b", acquire("b"), 20, 30); c.Answer.Code != lockmodel.CodeLedger {
		t.Fatalf("%+v", c.Answer)
	}
	w.read("b", 31, 32)
	tamper(w, lockmodel.Held, 35)
	w.call("a", release("a"), 40, 50)
	w.call("b", acquire("b"), 60, 70)
	if found := append(w.check(), Direct(w.sorted())...); len(found) > 0 {
		t.Error(found[0])
	}
	w.calls = slices.Delete(w.calls, 1, 2)
	if len(w.check()) == 0 {
		t.Error("a refusal without tampering is not found")
	}
}

func TestMalformedTimes(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.call("a", acquire("a"), 0, 10).Answer.Lock.AcquiredAt = "yesterday"
	if found := w.check(); len(found) != 1 || found[0].Rule != Malformed {
		t.Error(fmt.Sprint(found))
	}
}
