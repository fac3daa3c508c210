package auth_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/statelock/statelock/pkg/auth"
)

// provider is an issuer: a server with discovery and a key set, and the keys.
type provider struct {
	*httptest.Server
	fetches atomic.Int64

	mu        sync.Mutex
	published []any                     // as JSON Web Keys
	discovery func(doc map[string]any)  // changes the discovery document
	broken    func(http.ResponseWriter) // answers instead of all else
	wait      func()                    // before an answer
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	p.fetches.Add(1)
	p.mu.Lock()
	published, discovery, broken, wait := p.published, p.discovery, p.broken, p.wait
	p.mu.Unlock()
	if wait != nil {
		wait()
	}
	var doc map[string]any
	switch {
	case broken != nil:
		broken(w)
		return
	case r.URL.Path == "/.well-known/openid-configuration":
		doc = map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys?v=1"}
		if discovery != nil {
			discovery(doc)
		}
	case r.URL.Path == "/keys":
		doc = map[string]any{"keys": published}
	default:
		http.NotFound(w, r)
		return
	}
	json.NewEncoder(w).Encode(doc) //nolint:errcheck // the client will see
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// publish replaces the keys that are published.
func (p *provider) publish(keys ...any) { p.set(func() { p.published = keys }) }

func public(kid string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key.Public(), KeyID: kid, Use: "sig"}
}

// Keys are slow to make, and as good for one test as for another.
var rsaKeys = sync.OnceValue(func() [2]*rsa.PrivateKey {
	var keys [2]*rsa.PrivateKey
	for i := range keys {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = key
	}
	return keys
})

// world is an issuer, an authenticator that trusts it, and a clock.
type world struct {
	*provider
	a   *auth.Authenticator
	now time.Time
}

func newWorld(t *testing.T) *world {
	w := &world{provider: newProvider(t), now: start}
	w.publish(public("one", rsaKeys()[0]))
	w.a = authenticator(t, &ledger{}, []auth.Issuer{{
		URL: w.URL, Audience: "statelock",
		Rules: []auth.Rule{{
			Claims:     map[string]auth.Value{"repository": "acme/*", "ref": "refs/heads/main"},
			Workspaces: []auth.Template{"{repository}/**"},
		}},
	}}, &w.now)
	return w
}

// claims are those of a job, with changes; nil removes one.
func (w *world) claims(changes map[string]any) map[string]any {
	all := map[string]any{
		"iss": w.URL, "sub": "repo:acme/infra:ref:refs/heads/main", "aud": "statelock",
		"iat": start.Unix(), "nbf": start.Unix(), "exp": start.Add(10 * time.Minute).Unix(),
		"repository": "acme/infra", "ref": "refs/heads/main",
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

func sign(t testing.TB, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options.WithType("JWT"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// job is a JWT of a job, with changed claims.
func (w *world) job(t *testing.T, changes map[string]any) string {
	t.Helper()
	return sign(t, jose.RS256, rsaKeys()[0], "one", w.claims(changes))
}

func (w *world) good(t *testing.T, secret string) auth.Identity {
	t.Helper()
	id, err := w.a.Authenticate(t.Context(), secret)
	if err != nil || id.Lapsed || id.Digest != auth.Digest(secret) || !id.May(auth.Acquire, "acme/infra/prod") || id.May(auth.MarkStale, "acme/infra/prod") || id.May(auth.Read, "acme/other/prod") {
		t.Fatalf("%+v, %v", id, err)
	}
	return id
}

func (w *world) lapsed(t *testing.T, secret, why string) {
	t.Helper()
	id, err := w.a.Authenticate(t.Context(), secret)
	if err != nil || !id.Lapsed || !strings.Contains(id.Why, why) || id.Digest != auth.Digest(secret) || !id.May(auth.WriteState, "acme/infra/prod") || id.May(auth.Acquire, "acme/infra/prod") {
		t.Errorf("want lapsed, %s: %+v, %v", why, id, err)
	}
}

func (w *world) invalid(t *testing.T, secret, why string) {
	t.Helper()
	id, err := w.a.Authenticate(t.Context(), secret)
	if !errors.Is(err, auth.ErrInvalid) || errors.Is(err, auth.ErrUnavailable) || !strings.Contains(err.Error(), why) || id.Principal != "" || id.Grants != nil {
		t.Errorf("want invalid, %s: %+v, %v", why, id, err)
	}
}
