package lockapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Store is where the locks are kept: a *ddbstore.Store.
type Store interface {
	// Transition performs a transition; refusals are outcomes, not errors.
	Transition(context.Context, lockmodel.Request) (lockmodel.Outcome, error)
	// Terms are the deployment's.
	Terms() lockmodel.Terms
	// Lock reads one lock, consistently.
	Lock(ctx context.Context, ws string) (lockmodel.Lock, error)
	// List reads a page of locks.
	List(context.Context, ddbstore.Query) (ddbstore.Page, error)
	// History reads a page of a workspace's events.
	History(ctx context.Context, ws, cursor string, limit int) (ddbstore.History, error)
	// WriteState performs the transition of that name; Settle comes after it.
	WriteState(context.Context, lockmodel.Request, []byte) (lockmodel.Outcome, error)
	Settle(context.Context, lockmodel.Outcome) error
	// State reads a workspace's state, Versions and VersionState earlier ones.
	State(ctx context.Context, ws string) (ddbstore.State, error)
	Versions(ctx context.Context, ws string) ([]ddbstore.Version, error)
	VersionState(ctx context.Context, ws string, number int64) (ddbstore.State, error)
	// Restorable gives the body of an earlier version, to be written again.
	Restorable(ctx context.Context, ws string, number int64) ([]byte, error)
	// Tidy drops what state writes left behind that broke off.
	Tidy(ctx context.Context, limit int) (ddbstore.Tidied, error)
	// Lapsed reads held locks whose lease has lapsed.
	Lapsed(ctx context.Context, limit int) (locks []lockmodel.Lock, more bool, err error)
}

var _ Store = (*ddbstore.Store)(nil)

// Options configure an API.
type Options struct {
	// Log receives the causes of failures, which callers are not shown. nil
	// means slog.Default().
	Log *slog.Logger
	// Credentials tell callers that the adapter has not authenticated, and what
	// they may do. nil lets everybody in.
	Credentials Credentials
	// BehindGateway tells that a gateway authorizes the routes other than those
	// of Terraform, which are all that Credentials are asked for then.
	BehindGateway bool
	// Leases bound the leases that are granted.
	Leases Leases
	// MaxState is the greatest size of a state, in bytes; 0 stands for
	// DefaultMaxState.
	MaxState int64
}

// API answers requests and commands about the locks of a store.
type API struct {
	store       Store
	log         *slog.Logger
	credentials Credentials
	gateway     bool
	leases      Leases
	maxState    int64
	mux         *http.ServeMux
}

// New returns the API of a store.
func New(store Store, options Options) *API {
	a := &API{store: store, log: options.Log, leases: options.Leases, credentials: options.Credentials, gateway: options.BehindGateway, maxState: options.MaxState, mux: http.NewServeMux()}
	if a.log == nil {
		a.log = slog.Default()
	}
	if a.maxState == 0 {
		a.maxState = DefaultMaxState
	}
	a.register()
	return a
}

// commands are the operations that a command document can ask for.
func commands() []lockmodel.Op {
	return slices.DeleteFunc(lockmodel.Ops(), lockmodel.Op.TakesState)
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, original *http.Request) {
	r := identified(original)
	w.Header().Set("X-Request-Id", requestID(r.Context()))
	r, err := a.identify(r)
	if err != nil {
		status, body := a.failed(r.Context(), err)
		reply(w, status, body)
		return
	}
	defer func() { original.Pattern = r.Pattern }() // for Logged
	// The mux would clean the path first, and so read another workspace than
	// the one that was named.
	for _, path := range []string{locksPath, historyPath, versionsPath, statePath, tfLockPath} {
		ws, ok := strings.CutPrefix(r.URL.Path, path+"/")
		if !ok {
			continue
		}
		if err := lockmodel.CheckWorkspace(ws); err != nil {
			status, body := a.failed(r.Context(), err)
			reply(w, status, body)
			return
		}
	}
	a.mux.ServeHTTP(w, r)
}
