package lockapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

type contextKey int

const (
	principalKey contextKey = iota
	requestIDKey
	identityKey
)

// WithPrincipal records who the caller is, as the authenticator found. Nothing
// that the caller wrote may get here.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey, principal)
}

// WithRequestID gives the request an id where its client brings none. It must
// be the same for every copy of the request, and for no other.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey, id)
}

func principal(ctx context.Context) string {
	p, _ := ctx.Value(principalKey).(string)
	return cmp.Or(p, lockmodel.Anonymous)
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// identified takes the request id that the client brings, else the one that
// the adapter found, else mints one. X-Request-Id may be the work of a proxy, so
// one that can't be used is passed over; Idempotency-Key is the client's own.
func identified(r *http.Request) *http.Request {
	ctx := r.Context()
	proxied := r.Header.Get("X-Request-Id")
	if !lockmodel.ValidID(proxied) {
		proxied = ""
	}
	id := cmp.Or(r.Header.Get("Idempotency-Key"), proxied, requestID(ctx))
	if id == "" {
		id = uuid.NewString()
	}
	if keys := r.Header.Values("Idempotency-Key"); len(keys) > 1 || len(keys) == 1 && keys[0] == "" {
		id = "" // which is refused, wherever it matters
	}
	return r.WithContext(WithRequestID(ctx, id))
}

// lockIDs is the name space of the lock ids that the service gives.
var lockIDs = uuid.MustParse("5e0c1f4e-6d0c-4b0e-9f0e-8e5d3f6a2b71")

// lockIDFor gives an acquire that brings no lock id one that every copy of it
// gets, and no other request: so a copy finds its own hold, or finds it spent.
func lockIDFor(r lockmodel.Request) string {
	return uuid.NewSHA1(lockIDs, []byte(strings.Join([]string{r.Workspace, r.Principal, r.Runner, r.ID}, "\x00"))).String()
}
