package auth

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// MaxSecret is the length of the longest secret that is looked at, in bytes.
// Headers of gateways and servers hold hardly more.
const MaxSecret = 16 << 10

// Authenticator tells callers by their secrets. Any number of goroutines may
// use it. It begins nothing and fetches nothing before the first secret needs it.
type Authenticator struct {
	tokens  Tokens
	issuers map[string]*issuer
	now     func() time.Time
}

// Options are settings of an Authenticator; none is required.
type Options struct {
	// Now is the clock, time.Now where nil.
	Now func() time.Time
	// Transport fetches the issuers' keys, http.DefaultTransport where nil.
	Transport http.RoundTripper
}

// New makes an Authenticator of the tokens, and of the issuers if there are any.
// Its error is about the issuers.
func New(tokens Tokens, issuers []Issuer, o Options) (*Authenticator, error) {
	if err := checkIssuers(issuers); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Authenticator{tokens: tokens, issuers: make(map[string]*issuer, len(issuers)), now: o.Now}
	for _, i := range issuers {
		a.issuers[i.URL] = &issuer{Issuer: i, keys: newKeySet(i.URL, o)}
	}
	return a, nil
}

// Authenticate tells who has the secret. It asks the table for a token each
// time, and for a JWT it asks the issuer now and then.
//
// Errors are ErrInvalid, or else ErrUnavailable. With ErrUnavailable there may
// be an Identity all the same, which is lapsed: it is safe to let it finish the
// hold that it began, as any other that is lapsed, and so an issuer's outage
// need not lose the state of an apply under way.
func (a *Authenticator) Authenticate(ctx context.Context, secret string) (Identity, error) {
	switch {
	case len(secret) > MaxSecret:
		return Identity{}, invalid("longer than %d bytes", MaxSecret)
	case strings.HasPrefix(secret, tokenPrefix):
		return a.token(ctx, secret)
	case strings.Count(secret, ".") == 2:
		return a.jwt(ctx, secret)
	}
	return Identity{}, invalid("neither a token nor a JWT")
}
