package torture

import (
	"time"

	"github.com/statelock/statelock/localtest/broken"
)

// Config says how runs are made.
type Config struct {
	// Requests is how many requests the clients of a run make together.
	Requests int
	// Clients is how many there are at a time.
	Clients int
	// Endpoint is the DynamoDB to use; "" for the embedded engine, a fresh one
	// for each run.
	Endpoint string
	// Patience is how long the search for an order may take; see
	// history.Options.
	Patience time.Duration

	// Broken is a store to torture in place of the real one, to see whether it
	// is found out; the zero Store is the real one.
	Broken broken.Store
}

// Default are 8 clients and 800 requests a run: enough for everything to
// happen, and few enough to be checked at once.
func Default() Config { return Config{Requests: 800, Clients: 8, Patience: 5 * time.Second} }
