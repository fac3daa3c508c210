package explore

import (
	"fmt"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Bounds limit the worlds that are explored.
type Bounds struct {
	Acquisitions uint8 // by each client, each with a lock id of its own
	Operator     uint8 // requests by the operator
	Sweeper      uint8 // requests by the sweeper
	Renewals     uint8 // by each hold
	Writes       uint8 // of state, by each hold; with any, the operator may write, too
	Ticks        uint8 // how often time passes
	Late         int   // old copies under way at once, at most maxLate
	Skew         bool  // clocks may differ by a tick
}

const (
	clients = 3
	maxLate = 2
	// tick is how much time passes at once, in milliseconds; a lease ends
	// between two ticks.
	tick  = 1000
	lease = tick / 2
	epoch = 1_800_000_000_000
)

// leased tells which clients ask for a lease, and respect it.
func leased(client uint8) bool { return client == 0 }

// message is one request as it was made at one time; all its copies are the
// same. The zero message is none.
type message struct {
	op     uint8 // 1 + lockmodel.Op
	actor  uint8 // a client, operator or sweeper
	n      uint8 // counts the actor's acquisitions, or its requests
	target uint8 // 1 + the hold that is named, 0 for none
	at     uint8 // tick
}

// Actors beyond the clients.
const (
	operator uint8 = clients
	sweeper  uint8 = clients + 1
)

// phase is where a client's program stands.
type phase uint8

const (
	idle      phase = iota // between two holds
	acquiring              // waits for the answer of its acquire
	holding                // believes that it holds the lock
	renewing               // the same, and waits for the answer of a renewal
	writing                // the same as holding, and waits for the answer of a state write
	releasing              // waits for the answer of its release
	crashed                // gone, and may come back
)

// client is one client of a world.
type client struct {
	phase  phase
	hold   uint8 // counts its acquisitions
	sent   uint8 // tick of the request that it waits for
	fence  uint8 // that it was told
	lease  uint8 // 1 + tick in which the lease that it was granted ends
	renews uint8 // renewals of this hold
	writes uint8 // state writes of this hold, numbered from 1
	kept   uint8 // the last of them that it was told to be done
}

// agent is the operator or the sweeper: it sends a request, waits for an
// answer or gives up, and sends another.
type agent struct {
	sent    uint8
	waiting message
}

// world is one state of everything.
type world struct {
	lock    uint32 // numbered by the explorer
	now     uint8
	clients [clients]client
	agents  [2]agent // operator, sweeper
	late    [maxLate]message
}

// believes reports whether a client acts as the holder. One that respects its
// lease stops when that ends by its own reckoning.
func (w world) believes(c uint8) bool {
	p := w.clients[c]
	return (p.phase == holding || p.phase == renewing || p.phase == writing) && (!leased(c) || w.now < p.lease)
}

// holdNumber numbers the holds of all clients.
func holdNumber(c, hold uint8) uint8 { return hold*clients + c }

func lockIDOf(number uint8) string {
	return fmt.Sprintf("%s%d", clientName(number%clients), number/clients+1)
}

func clientName(c uint8) string { return string(rune('A' + c)) }

func actorName(a uint8) string {
	switch a {
	case operator:
		return "operator"
	case sweeper:
		return "sweeper"
	}
	return clientName(a)
}

// request is what the service makes of a message.
func (m message) request(terms lockmodel.Terms) lockmodel.Request {
	r := lockmodel.Request{
		Op: lockmodel.Op(m.op - 1), Workspace: "ws",
		ID:  fmt.Sprintf("%s-%d", actorName(m.actor), m.n),
		Now: at(m.at), Terms: terms,
	}
	if m.target > 0 {
		r.LockID = lockIDOf(m.target - 1)
	}
	switch r.Op {
	case lockmodel.Acquire:
		r.Runner = actorName(m.actor)
		if leased(m.actor) {
			r.Lease = lease
		}
	case lockmodel.Renew:
		r.Lease = lease
	case lockmodel.WriteState:
		r.Version, r.Checksum, r.Size, r.Serial = r.ID, "sum", 1, int64(m.n)
	}
	return r
}

// perHold separates the numbers of a hold's requests from those of the next.
const perHold = 8

func (m message) String() string {
	s := fmt.Sprintf("%s of %s", lockmodel.Op(m.op-1), actorName(m.actor))
	if m.target > 0 {
		s += " for hold " + lockIDOf(m.target-1)
	}
	return fmt.Sprintf("%s, made at %d", s, m.at)
}

// at is the time of a tick.
func at(ticks uint8) int64 { return epoch + int64(ticks)*tick }
