package torture

import (
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
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

	// Client and Store, if not nil, put something between the service and its
	// database, or between the service's interface and its store: to see
	// whether it is found out. The store's own complaints then do not count.
	Client func(ddbstore.Client) ddbstore.Client
	Store  func(lockapi.Store) lockapi.Store
}

// Default are 8 clients and 800 requests a run: enough for everything to
// happen, and few enough to be checked at once.
func Default() Config { return Config{Requests: 800, Clients: 8, Patience: time.Minute} }

// broken tells that what is tortured is not the service as it is.
func (c Config) broken() bool { return c.Client != nil || c.Store != nil }
