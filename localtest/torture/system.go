package torture

import (
	"context"
	"net/http"
	"time"

	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// system is a service as clients see it, through a bad network.
type system struct {
	// url is where the service is. It may wait until there is one.
	url func(context.Context) (string, error)
	// http carries the clients' requests.
	http *http.Client
	// recorder records their calls.
	recorder *history.Recorder
	// deliveries is how often the database got requests of a trip.
	deliveries func(*faults.Trip) int
	// opaque tells that a request may go on where its trip can't be followed:
	// when it is over is not seen then.
	opaque bool
	// authenticated tells that the service takes the word of principalHeader.
	authenticated bool
	// pass lets time pass; nil where it does so by itself.
	pass func(time.Duration)
	// tamper writes a lock's state past the service; nil where that is not to
	// happen.
	tamper func(ctx context.Context, ws string, state lockmodel.State) error
}

// principalHeader says who calls, to a service that believes it.
const principalHeader = "Torture-Principal"
