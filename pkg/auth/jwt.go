package auth

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// algorithms are those that JWTs may be signed with: what OpenID Connect issuers
// use. One whose key is no public key must never be among them.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256}

// leeway is by how much an issuer's clock may differ from ours.
const leeway = time.Minute

// maxSubject is the length of the longest subject, in bytes. OpenID Connect Core
// 1.0, section 2, allows 255; issuers whose subjects are composed go beyond.
const maxSubject = 1024

type issuer struct {
	Issuer
	keys *keySet
}

// jwt tells who has a JWT. What is said about whom is decided in this order: is
// it meant for us at all, did its issuer sign it, and is it still good.
func (a *Authenticator) jwt(ctx context.Context, secret string) (Identity, error) {
	token, err := jwt.ParseSigned(secret, algorithms)
	if err != nil {
		return Identity{}, invalid("no JWT that is signed with %s or %s", algorithms[0], algorithms[1])
	}
	var registered jwt.Claims
	var all claims
	if token.UnsafeClaimsWithoutVerification(&registered, &all) != nil {
		return Identity{}, invalid("the JWT's claims can't be read")
	}
	i, ok := a.issuers[registered.Issuer]
	if !ok {
		return Identity{}, invalid("no issuer %.200q is configured", registered.Issuer)
	}
	if sub := registered.Subject; sub == "" || len(sub) > maxSubject || strings.ContainsFunc(sub, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return Identity{}, invalid("the JWT of %s has no usable sub", i.URL)
	}
	if registered.Expiry == nil {
		return Identity{}, invalid("the JWT of %s has no exp", i.URL)
	}
	err = registered.ValidateWithLeeway(jwt.Expected{AnyAudience: jwt.Audience{i.Audience}, Time: a.now()}, leeway)
	expired := errors.Is(err, jwt.ErrExpired)
	if err != nil && !expired {
		return Identity{}, invalid("the JWT of %s: %s", i.URL, strings.TrimPrefix(err.Error(), "go-jose/go-jose/jwt: "))
	}

	id := Identity{Principal: "jwt:" + i.URL + "|" + registered.Subject, Digest: Digest(secret), Grants: i.grants(all)}
	signed, err := i.keys.verify(ctx, token)
	switch {
	case signed == forged:
		return Identity{}, invalid("the JWT of %s: the signature is wrong", i.URL)
	case expired:
		// Nobody need be reached to know that much.
		return id.lapsed("expired " + registered.Expiry.Time().UTC().Format(time.RFC3339)), nil
	case err != nil:
		return id.lapsed("its issuer can't be reached"), unavailable(err)
	case signed == keyGone:
		return id.lapsed("its issuer does not publish the key any more that signed it"), nil
	}
	return id, nil
}

func (i Identity) lapsed(why string) Identity {
	i.Lapsed, i.Why = true, why
	return i
}
