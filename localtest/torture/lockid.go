package torture

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// deriver tells which lock id the service gives to an acquire that brings none,
// by asking the service's own interface: so that the history can name it even
// where no answer does.
type deriver struct {
	api  *lockapi.API
	seen notebook
}

func newDeriver() *deriver {
	d := &deriver{}
	d.api = lockapi.New(&d.seen, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	return d
}

// lockID gives the lock id of an acquire.
func (d *deriver) lockID(r lockmodel.Request) (string, error) {
	sent, err := transition(r, true)
	if err != nil {
		return "", err
	}
	ctx := lockapi.WithPrincipal(context.Background(), r.Principal)
	h, err := sent.http(ctx, "http://service.invalid")
	if err != nil {
		return "", err
	}
	d.api.ServeHTTP(httptest.NewRecorder(), h)
	return d.seen.last.LockID, nil
}

// notebook is a store that notes which transition is asked of it, and fails.
type notebook struct {
	lockapi.Store
	last lockmodel.Request
}

var errNotebook = errors.New("nothing is stored here")

// Transition notes the request.
func (n *notebook) Transition(_ context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	n.last = r
	return lockmodel.Outcome{}, errNotebook
}
