package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// emit takes a world that another leads to, and the name of the event.
type emit func(next world, name func() string)

// successors gives every world that one event leads to.
func (e *explorer) successors(w world, to emit) {
	if w.now < e.bounds.Ticks {
		next := w
		next.now++
		to(next, func() string { return "time passes" })
	}
	for c := range uint8(clients) {
		e.client(w, c, to)
	}
	e.operator(w, to)
	e.sweeper(w, to)
	for i, m := range w.late {
		if m == (message{}) {
			continue
		}
		lost := w.without(i)
		to(lost, func() string { return "a late copy is lost: " + m.String() })
		arrived := lost
		arrived.lock = e.apply(w, m).lock
		to(arrived, func() string { return "a late copy arrives: " + m.String() })
	}
}

// client gives what may happen to one client.
func (e *explorer) client(w world, c uint8, to emit) {
	p := w.clients[c]
	change := func(does string, f func(*client)) world {
		next := w
		f(&next.clients[c])
		to(next, func() string { return clientName(c) + " " + does })
		return next
	}
	m, waiting := p.message(c)
	switch {
	case p.phase == idle && p.hold < e.bounds.Acquisitions:
		change("sends its acquire", func(p *client) { p.phase, p.sent = acquiring, w.now })
	case p.phase == crashed:
		change("comes back", func(p *client) { *p = client{hold: p.hold + 1} })
	case p.phase == holding:
		change("sends its release", func(p *client) { p.phase, p.sent = releasing, w.now })
		if leased(c) && p.renews < e.bounds.Renewals {
			change("sends a renewal", func(p *client) { p.phase, p.sent, p.renews = renewing, w.now, p.renews+1 })
		}
		if p.writes < e.bounds.Writes {
			change("sends a state write", func(p *client) { p.phase, p.sent, p.writes = writing, w.now, p.writes+1 })
		}
	}
	if p.phase == holding || waiting {
		gone := change("crashes", func(p *client) { *p = client{phase: crashed, hold: p.hold} })
		if waiting {
			e.withLate(gone, m, to, func() string { return clientName(c) + " crashes, a copy is under way" })
		}
	}
	if !waiting {
		return
	}
	r := e.apply(w, m)
	lost := w
	lost.lock = r.lock
	to(lost, func() string { return m.String() + " arrives, its reply is lost" })
	told := lost
	told.clients[c].told(r)
	to(told, func() string { return m.String() + " arrives and is answered" })
	e.withLate(told, m, to, func() string { return m.String() + " arrives and is answered, a copy is under way" })
	if p.sent < w.now {
		again := change("sends the same again", func(p *client) { p.sent = w.now })
		e.withLate(again, m, to, func() string { return clientName(c) + " sends the same again, an old copy is under way" })
	}
}

// message is the request whose answer the client waits for, if it does.
func (p client) message(c uint8) (m message, waiting bool) {
	var o lockmodel.Op
	n := p.hold
	switch p.phase {
	case acquiring:
		o = lockmodel.Acquire
	case renewing:
		o = lockmodel.Renew
		n = p.hold*perHold + p.renews
	case writing:
		o = lockmodel.WriteState
		n = p.hold*perHold + p.writes
	case releasing:
		o = lockmodel.ReleaseLock
	default:
		return message{}, false
	}
	return message{op: 1 + uint8(o), actor: c, n: n, target: 1 + holdNumber(c, p.hold), at: p.sent}, true
}

// told takes the client from the answer that it waited for to what it does
// next.
func (p *client) told(r result) {
	over := client{phase: idle, hold: p.hold + 1}
	switch {
	case p.phase == acquiring && r.done:
		p.phase, p.fence, p.lease = holding, r.fence, r.lease
	case p.phase == acquiring && r.code != lockmodel.CodeSpent:
		p.phase = idle // and may send the same acquire again
	case p.phase == renewing && r.done:
		p.phase, p.lease = holding, r.lease
	case p.phase == writing && r.done:
		p.phase, p.kept = holding, p.writes
	default:
		*p = over
	}
	p.sent = 0
}

// operator gives what the operator may do: mark stale or force-unlock,
// whichever hold there is or the one that it saw, and write state without a
// lock.
func (e *explorer) operator(w world, to emit) {
	targets := []uint8{0}
	if seen := e.locks[w.lock].LockID; seen != "" {
		targets = append(targets, 1+numberOf(seen))
	}
	var may []message
	for _, o := range []lockmodel.Op{lockmodel.MarkStale, lockmodel.ForceUnlock} {
		for _, target := range targets {
			may = append(may, message{op: 1 + uint8(o), target: target})
		}
	}
	if e.bounds.Writes > 0 {
		may = append(may, message{op: 1 + uint8(lockmodel.WriteState)})
	}
	e.agent(w, operator, e.bounds.Operator, may, to)
}

// sweeper gives what the sweeper may do: mark stale the hold whose lease it
// saw to have lapsed.
func (e *explorer) sweeper(w world, to emit) {
	var may []message
	if l := e.locks[w.lock]; l.State == lockmodel.Held && l.LeaseUntil != lockmodel.Missing && l.LeaseUntil < at(w.now) {
		may = append(may, message{op: 1 + uint8(lockmodel.MarkStale), target: 1 + numberOf(l.LockID)})
	}
	e.agent(w, sweeper, e.bounds.Sweeper, may, to)
}

// agent gives what may happen to an agent: it sends one of the requests that
// it may, or waits for the answer of one.
func (e *explorer) agent(w world, who, budget uint8, may []message, to emit) {
	a := w.agents[who-operator]
	if a.waiting == (message{}) {
		if a.sent == budget {
			return
		}
		for _, m := range may {
			m.actor, m.n, m.at = who, a.sent, w.now
			next := w
			next.agents[who-operator] = agent{sent: a.sent + 1, waiting: m}
			to(next, func() string { return "sends: " + m.String() })
		}
		return
	}
	m := a.waiting
	quiet := w
	quiet.agents[who-operator].waiting = message{}
	to(quiet, func() string { return "given up: " + m.String() })
	e.withLate(quiet, m, to, func() string { return "given up, a copy is under way: " + m.String() })

	lost, told := w, quiet
	lost.lock = e.apply(w, m).lock
	told.lock = lost.lock
	to(lost, func() string { return m.String() + " arrives, its reply is lost" })
	to(told, func() string { return m.String() + " arrives and is answered" })
	e.withLate(told, m, to, func() string { return m.String() + " arrives and is answered, a copy is under way" })
	if m.at < w.now {
		again := w
		again.agents[who-operator].waiting.at = w.now
		to(again, func() string { return actorName(who) + " sends the same again" })
		e.withLate(again, m, to, func() string { return actorName(who) + " sends the same again, an old copy is under way" })
	}
}

// withLate gives w with one more late copy under way, where there is room.
func (e *explorer) withLate(w world, m message, to emit, name func() string) {
	if slices.Contains(w.late[:], m) {
		return
	}
	for i := range e.bounds.Late {
		if w.late[i] == (message{}) {
			w.late[i] = m
			slices.SortFunc(w.late[:], compareMessages)
			to(w, name)
			return
		}
	}
}

// without gives w with the late copy i lost.
func (w world) without(i int) world {
	w.late[i] = message{}
	slices.SortFunc(w.late[:], compareMessages)
	return w
}

// compareMessages puts late copies in one order, the missing ones last, so
// that worlds which differ in that order alone are one.
func compareMessages(a, b message) int { return cmp.Compare(b.rank(), a.rank()) }

func (m message) rank() int64 {
	return int64(m.op)<<32 | int64(m.actor)<<24 | int64(m.n)<<16 | int64(m.target)<<8 | int64(m.at)
}

// numberOf is the inverse of lockIDOf.
func numberOf(lockID string) uint8 {
	var c rune
	var hold uint8
	if _, err := fmt.Sscanf(lockID, "%c%d", &c, &hold); err != nil {
		panic("not a lock id of the explorer: " + lockID)
	}
	return holdNumber(uint8(c-'A'), hold-1)
}
