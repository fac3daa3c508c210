package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Report tells what was explored.
type Report struct {
	Worlds    int           // different worlds
	Events    int           // ways from one world to another
	Steps     int           // different pairs of a stored lock and a request
	Locks     int           // different stored locks
	Depth     int           // events from the start to the furthest world
	Took      time.Duration // by the clock on the wall
	Violation *Violation    // nil if there is none
}

// Violation is a property that did not hold, and the shortest way there.
type Violation struct {
	Property string
	Problem  string
	Trace    []string
}

// String spells the violation in lines.
func (v *Violation) String() string {
	return fmt.Sprintf("%s: %s\n  %s", v.Property, v.Problem, strings.Join(v.Trace, "\n  "))
}

// explorer holds the worlds that were found.
type explorer struct {
	bounds  Bounds
	machine Stepper

	worlds  []world
	parents []int32
	depth   []uint16
	found   map[world]int32

	locks   []lockmodel.Lock
	lockIDs map[lockmodel.Lock]uint32
	steps   map[pair]result
	events  int

	violation *Violation
}

// pair is a stored lock and a message that meets it.
type pair struct {
	lock uint32
	m    message
}

// result is what the sender of a message is told, and what became of the lock.
type result struct {
	lock  uint32
	done  bool
	code  lockmodel.Code
	fence uint8
	lease uint8
}

// Explore walks over all worlds within the bounds, and stops at the first in
// which something does not hold.
func Explore(b Bounds, machine Stepper) Report {
	start := time.Now()
	e := &explorer{
		bounds: b, machine: machine,
		found: map[world]int32{}, lockIDs: map[lockmodel.Lock]uint32{}, steps: map[pair]result{},
	}
	e.visit(world{lock: e.number(lockmodel.NewLock("ws"))}, -1)
	for n := 0; n < len(e.worlds) && e.violation == nil; n++ {
		e.successors(e.worlds[n], func(next world, _ func() string) {
			e.events++
			if e.violation == nil {
				e.visit(next, int32(n))
			}
		})
	}
	return Report{
		Worlds: len(e.worlds), Events: e.events, Steps: len(e.steps), Locks: len(e.locks),
		Depth: int(e.depth[len(e.depth)-1]), Took: time.Since(start), Violation: e.violation,
	}
}

// visit enters a world that may be new, and checks it.
func (e *explorer) visit(w world, parent int32) {
	if _, ok := e.found[w]; ok {
		return
	}
	n := int32(len(e.worlds))
	e.found[w] = n
	e.worlds = append(e.worlds, w)
	e.parents = append(e.parents, parent)
	depth := uint16(0)
	if parent >= 0 {
		depth = e.depth[parent] + 1
	}
	e.depth = append(e.depth, depth)
	for _, i := range invariants {
		if problem := i.check(w, &e.locks[w.lock]); problem != "" {
			e.violation = &Violation{i.Name, problem, e.trace(n)}
			return
		}
	}
}

var (
	invariants = Invariants()
	properties = Properties()
)

func (e *explorer) number(l lockmodel.Lock) uint32 {
	n, ok := e.lockIDs[l]
	if !ok {
		n = uint32(len(e.locks))
		e.lockIDs[l] = n
		e.locks = append(e.locks, l)
	}
	return n
}

// apply lets a message meet the lock of a world, and checks that step when it
// is seen first.
func (e *explorer) apply(w world, m message) result {
	p := pair{w.lock, m}
	if r, ok := e.steps[p]; ok {
		return r
	}
	before, request := e.locks[w.lock], m.request(e.bounds.terms())
	out := e.machine(before, request)
	r := result{
		lock: e.number(out.Lock), done: out.Rule.Done(), code: out.Rule.Code,
		fence: uint8(max(out.Lock.Fence, 0)),
	}
	if until := out.Lock.LeaseUntil; until != lockmodel.Missing {
		r.lease = uint8((until-epoch)/tick) + 1
	}
	e.steps[p] = r
	if property, problem := checkStep(before, request, out, e.machine); problem != "" && e.violation == nil {
		trace := append(e.trace(e.found[w]), m.String())
		e.violation = &Violation{property, problem, trace}
	}
	return r
}

func (b Bounds) terms() lockmodel.Terms {
	if b.Skew {
		return lockmodel.Terms{Skew: tick}
	}
	return lockmodel.Terms{}
}

// checkStep names the first property that a step violates.
func checkStep(before lockmodel.Lock, r lockmodel.Request, out lockmodel.Outcome, machine Stepper) (property, problem string) {
	s := step{before, r, out, machine}
	for _, p := range properties {
		if problem := p.check(s); problem != "" {
			return p.Name, problem
		}
	}
	return "", ""
}

// trace spells the way to world n.
func (e *explorer) trace(n int32) []string {
	var lines []string
	for ; e.parents[n] >= 0; n = e.parents[n] {
		label := "?"
		target := e.worlds[n]
		e.successors(e.worlds[e.parents[n]], func(next world, name func() string) {
			if next == target && label == "?" {
				label = name()
			}
		})
		l := e.locks[target.lock]
		lines = append(lines, fmt.Sprintf("%-60s lock: %s %s fence %d", label, stateOf(l), l.LockID, max(l.Fence, 0)))
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return lines
}
