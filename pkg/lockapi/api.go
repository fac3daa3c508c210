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
	// Lock reads one lock, consistently.
	Lock(ctx context.Context, ws string) (lockmodel.Lock, error)
	// List reads a page of locks.
	List(context.Context, ddbstore.Query) (ddbstore.Page, error)
	// History reads a page of a workspace's events.
	History(ctx context.Context, ws, cursor string, limit int) (ddbstore.History, error)
	// Lapsed reads held locks whose lease has lapsed.
	Lapsed(ctx context.Context, limit int) (locks []lockmodel.Lock, more bool, err error)
}

var _ Store = (*ddbstore.Store)(nil)

// Options configure an API.
type Options struct {
	// Log receives the causes of failures, which callers are not shown. nil
	// means slog.Default().
	Log *slog.Logger
	// Leases bound the leases that are granted.
	Leases Leases
}

// API answers requests and commands about the locks of a store.
type API struct {
	store  Store
	log    *slog.Logger
	leases Leases
	mux    *http.ServeMux
}

// New returns the API of a store.
func New(store Store, options Options) *API {
	a := &API{store: store, log: options.Log, leases: options.Leases, mux: http.NewServeMux()}
	if a.log == nil {
		a.log = slog.Default()
	}
	for _, o := range commands() {
		a.route("POST", Path(o), func(r *http.Request) (int, any) { return a.transition(o, r) })
	}
	a.route("GET", locksPath, a.list)
	a.route("GET", locksPath+"/{ws...}", a.read)
	a.route("GET", historyPath+"/{ws...}", a.history)
	a.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, failure{Code: "not_found", Reason: "there is no such route"})
	})
	return a
}

const (
	locksPath   = "/v1/locks"
	historyPath = "/v1/history"
)

// commands are the operations that a command document can ask for.
func commands() []lockmodel.Op {
	return slices.DeleteFunc(lockmodel.Ops(), lockmodel.Op.TakesState)
}

// Path is the route of an operation.
func Path(o lockmodel.Op) string {
	if o == lockmodel.ReleaseLock {
		return "/v1/release"
	}
	return "/v1/" + strings.ReplaceAll(o.String(), "_", "-")
}

// route serves a path by one method, and refuses the others.
func (a *API) route(method, path string, serve func(*http.Request) (int, any)) {
	a.mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		status, body := serve(r)
		reply(w, status, body)
	})
	a.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", method)
		reply(w, http.StatusMethodNotAllowed, failure{Code: "method_not_allowed", Reason: "this route takes " + method})
	})
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, original *http.Request) {
	r := identified(original)
	defer func() { original.Pattern = r.Pattern }() // for Logged
	w.Header().Set("X-Request-Id", requestID(r.Context()))
	// The mux would clean the path first, and so read another workspace than
	// the one that was named.
	for _, path := range []string{locksPath, historyPath} {
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
