package lockapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Credentials tell callers by the secrets that they bring: an
// *auth.Authenticator.
type Credentials interface {
	Authenticate(ctx context.Context, secret string) (auth.Identity, error)
}

// What is wrong with a caller, apart from what it asks for.
var (
	errNoCredential = errors.New("no credential")
	errLapsed       = errors.New("the credential is valid no more, and the hold was not begun with it")
	errForbidden    = errors.New("the credential doesn't allow this")
)

// identify tells the caller by the secret that the request brings, where the
// API asks for one and the adapter has not authenticated the caller already.
func (a *API) identify(r *http.Request) (*http.Request, error) {
	ctx := r.Context()
	if a.credentials == nil || principal(ctx) != lockmodel.Anonymous || a.gateway && !forTerraform(r.URL.Path) {
		return r, nil
	}
	secret := secretOf(r)
	if secret == "" {
		return r, errNoCredential
	}
	identity, err := a.credentials.Authenticate(ctx, secret)
	switch {
	case errors.Is(err, auth.ErrUnavailable) && identity.Lapsed:
		// It may finish what it began, whoever can't be reached.
	case err != nil:
		return r, err
	case identity.Lapsed:
		err = errLapsed
	}
	ctx = context.WithValue(WithPrincipal(ctx, identity.Principal), identityKey, caller{identity, err})
	return r.WithContext(ctx), nil
}

// caller is whom a secret told.
type caller struct {
	auth.Identity
	// unfit is why one that is lapsed can't do what it can't: errLapsed, or that
	// nobody can tell now whether it is.
	unfit error
}

// forTerraform reports whether a path is one of Terraform's.
func forTerraform(path string) bool {
	return strings.HasPrefix(path, statePath+"/") || strings.HasPrefix(path, tfLockPath+"/")
}

// secretOf finds the one secret that a client can bring: as a bearer token, or
// as the password of basic auth, whoever the user is.
func secretOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// callerOf gives the caller that a secret told; not ok where the caller was
// authenticated in another way, or nobody asks.
func callerOf(ctx context.Context) (c caller, ok bool) {
	c, ok = ctx.Value(identityKey).(caller)
	return c, ok
}

// may gives errForbidden, or what makes the caller unfit, where the caller has no
// permission on a workspace. Callers that a gateway authenticated have what it
// let through.
func may(ctx context.Context, p auth.Permission, ws string) error {
	c, ok := callerOf(ctx)
	if !ok || c.May(p, ws) {
		return nil
	}
	return cmp.Or(c.unfit, errForbidden)
}

// mayAnywhere is may for a request that names no workspace.
func mayAnywhere(ctx context.Context, p auth.Permission) error {
	c, ok := callerOf(ctx)
	if !ok || c.MayAnywhere(p) {
		return nil
	}
	return cmp.Or(c.unfit, errForbidden)
}

// refuseCaller answers a caller that is not let in. What was wrong with a secret
// is in the log, for the operator; a caller learns only that it won't do.
func refuseCaller(err error) (int, any, bool) {
	switch {
	case errors.Is(err, errNoCredential):
		return http.StatusUnauthorized, failure{Code: "unauthorized", Reason: "no credential: bring a token, or your CI's OIDC JWT, as the password of basic auth or as a bearer token"}, true
	case errors.Is(err, auth.ErrInvalid), errors.Is(err, errLapsed):
		return http.StatusUnauthorized, failure{Code: "unauthorized", Reason: "the credential is not valid, or not any more"}, true
	case errors.Is(err, errForbidden):
		return http.StatusForbidden, failure{Code: "forbidden", Reason: "the credential is valid, and doesn't allow this operation on this workspace"}, true
	}
	return 0, nil, false
}
