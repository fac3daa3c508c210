package lockmodel

// State is where a lock stands. The zero value, "", is no state at all: it
// stands for an item whose state is missing or unreadable.
type State = string

const (
	// Unlocked: nobody holds the lock.
	Unlocked State = "unlocked"
	// Held: one holder, presumed alive.
	Held State = "held"
	// Stale: one holder, suspected dead. It may still release.
	Stale State = "stale"
)

// States lists the states in the order of a lock's life.
func States() []State { return []State{Unlocked, Held, Stale} }
