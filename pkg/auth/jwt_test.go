package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
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

func TestJWT(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if n := w.fetches.Load(); n != 0 {
		t.Errorf("%d requests to the issuer before any JWT", n)
	}
	id := w.good(t, w.job(t, nil))
	if want := "jwt:" + w.URL + "|repo:acme/infra:ref:refs/heads/main"; id.Principal != want {
		t.Errorf("principal %s, want %s", id.Principal, want)
	}
	w.good(t, w.job(t, map[string]any{"aud": []string{"other", "statelock"}}))
	w.good(t, w.job(t, map[string]any{"nbf": start.Add(50 * time.Second).Unix(), "iat": start.Add(50 * time.Second).Unix()}))
	w.good(t, w.job(t, map[string]any{"nbf": nil, "iat": nil}))
	w.good(t, w.job(t, map[string]any{"exp": start.Add(-50 * time.Second).Unix()}))
	if n := w.fetches.Load(); n != 2 {
		t.Errorf("%d requests to the issuer, want discovery and keys once", n)
	}

	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.publish(map[string]any{"kty": "OKP", "crv": "Ed448", "x": "AA"}, map[string]any{"kty": "new"}, public("two", elliptical))
	w.now = start.Add(time.Minute)
	w.good(t, sign(t, jose.ES256, elliptical, "two", w.claims(nil)))
	w.good(t, sign(t, jose.ES256, elliptical, "", w.claims(nil)))
}

// A JWT that is valid but matches no rule is somebody who may do nothing.
func TestJWTWithoutRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, changes := range []map[string]any{
		{"repository": "evil/infra"},
		{"repository": "acme/infra/../../other"},
		{"repository": nil},
		{"repository": []string{"acme/infra"}}, // fits the claim, and not the template
		{"ref": "refs/heads/feature"},
		{"ref": "refs/heads/main "},
		{"repository": "acme/*"},
	} {
		id, err := w.a.Authenticate(t.Context(), w.job(t, changes))
		if err != nil || id.Lapsed || len(id.Grants) != 0 || id.May(auth.Read, "acme/infra/prod") {
			t.Errorf("%v: %+v, %v", changes, id, err)
		}
	}
}

func TestLapsedJWT(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.job(t, nil)
	w.good(t, secret)

	// It expires.
	w.now = start.Add(12 * time.Minute)
	w.lapsed(t, secret, "expired 2026-05-01T12:10:00Z")

	// Its key is withdrawn.
	w.publish(public("two", rsaKeys()[1]))
	w.now = start.Add(5 * time.Minute)
	w.good(t, secret) // by the keys that are at hand
	w.good(t, sign(t, jose.RS256, rsaKeys()[1], "two", w.claims(nil)))
	w.lapsed(t, secret, "does not publish the key")
	w.lapsed(t, sign(t, jose.RS256, rsaKeys()[0], "", w.claims(nil)), "does not publish the key")

	// Both.
	w.now = start.Add(12 * time.Minute)
	w.lapsed(t, secret, "expired")
}

func TestInvalidJWT(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.job(t, nil)
	parts := strings.Split(good, ".")
	encode := func(doc string) string { return base64.RawURLEncoding.EncodeToString([]byte(doc)) }
	body, err := json.Marshal(w.claims(map[string]any{"repository": "acme/other"}))
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(rsaKeys()[0].Public())
	if err != nil {
		t.Fatal(err)
	}
	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const wrong, alg = "the signature is wrong", "no JWT that is signed with RS256 or ES256"
	for name, c := range map[string]struct{ secret, why string }{
		"other claims":            {parts[0] + "." + encode(string(body)) + "." + parts[2], wrong},
		"another key, same name":  {sign(t, jose.RS256, rsaKeys()[1], "one", w.claims(nil)), wrong},
		"another kind of key":     {sign(t, jose.ES256, elliptical, "one", w.claims(nil)), wrong},
		"expired and forged":      {sign(t, jose.RS256, rsaKeys()[1], "one", w.claims(map[string]any{"exp": start.Add(-time.Hour).Unix()})), wrong},
		"alg none":                {encode(`{"alg":"none","kid":"one"}`) + "." + parts[1] + ".", alg},
		"alg NONE with signature": {encode(`{"alg":"NONE","kid":"one"}`) + "." + parts[1] + "." + parts[2], alg},
		"HS256 with public key":   {sign(t, jose.HS256, der, "one", w.claims(nil)), alg},
		"HS256 with key set":      {sign(t, jose.HS256, []byte(strings.Repeat("k", 64)), "", w.claims(nil)), alg},
		"RS512":                   {sign(t, jose.RS512, rsaKeys()[0], "one", w.claims(nil)), alg},
		"PS256":                   {sign(t, jose.PS256, rsaKeys()[0], "one", w.claims(nil)), alg},
		"no signature":            {parts[0] + "." + parts[1] + ".", ""},
		"no body":                 {parts[0] + ".." + parts[2], ""},
		"body is no object":       {parts[0] + "." + encode(`[]`) + "." + parts[2], "can't be read"},
		"a claim twice":           {parts[0] + "." + encode(`{"iss":"`+w.URL+`","iss":"x"}`) + "." + parts[2], "can't be read"},
		"wrong audience":          {w.job(t, map[string]any{"aud": "other"}), "audience"},
		"audience as a part":      {w.job(t, map[string]any{"aud": "statelock2"}), "audience"},
		"no audience":             {w.job(t, map[string]any{"aud": nil}), "audience"},
		"wrong audience, expired": {w.job(t, map[string]any{"aud": "other", "exp": start.Add(-time.Hour).Unix()}), "audience"},
		"not yet valid":           {w.job(t, map[string]any{"nbf": start.Add(2 * time.Minute).Unix()}), "not valid yet"},
		"from the future":         {w.job(t, map[string]any{"iat": start.Add(2 * time.Minute).Unix()}), "issued in the future"},
		"never expires":           {w.job(t, map[string]any{"exp": nil}), "no exp"},
		"no subject":              {w.job(t, map[string]any{"sub": nil}), "no usable sub"},
		"a subject of two lines":  {w.job(t, map[string]any{"sub": "a\nb"}), "no usable sub"},
		"unknown issuer":          {w.job(t, map[string]any{"iss": "https://evil.example"}), `no issuer "https://evil.example"`},
		"issuer with a slash":     {w.job(t, map[string]any{"iss": w.URL + "/"}), "no issuer"},
		"no issuer":               {w.job(t, map[string]any{"iss": nil}), "no issuer"},
	} {
		t.Run(name, func(t *testing.T) { w.invalid(t, c.secret, c.why) })
	}
	w.good(t, good)
}

// A key that signs is not one that encrypts, and no secret that is published by
// mistake verifies anything.
func TestUnusableKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, key := range []any{
		jose.JSONWebKey{Key: rsaKeys()[0].Public(), KeyID: "one", Use: "enc"},
		jose.JSONWebKey{Key: rsaKeys()[0], KeyID: "one", Use: "sig"}, // the private one
		jose.JSONWebKey{Key: []byte(strings.Repeat("k", 64)), KeyID: "one", Use: "sig"},
	} {
		w.publish(key)
		w.now = w.now.Add(fetchPause)
		w.lapsed(t, w.job(t, nil), "does not publish the key")
	}
	w.publish(jose.JSONWebKey{Key: rsaKeys()[0].Public(), KeyID: "one", Algorithm: "PS256"})
	w.now = w.now.Add(fetchPause)
	w.invalid(t, w.job(t, nil), "the signature is wrong")
}

const fetchPause = 11 * time.Second // a bit longer than that of package auth

// While its keys can't be had nothing is known; but an apply under way ends well.
func TestIssuerDown(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(w *world){
		"down":   func(w *world) { w.Close() },
		"error":  func(w *world) { w.broken = func(r http.ResponseWriter) { r.WriteHeader(http.StatusBadGateway) } },
		"a page": func(w *world) { w.broken = func(r http.ResponseWriter) { r.Write([]byte("<html>")) } }, //nolint:errcheck // of no interest
		"moved": func(w *world) {
			w.broken = func(r http.ResponseWriter) { r.Header().Set("Location", "/keys"); r.WriteHeader(302) }
		},
		"another issuer":   func(w *world) { w.discovery = func(doc map[string]any) { doc["issuer"] = "https://evil.example" } },
		"keys elsewhere":   func(w *world) { w.discovery = func(doc map[string]any) { doc["jwks_uri"] = "http://192.0.2.1/keys" } },
		"keys not there":   func(w *world) { w.discovery = func(doc map[string]any) { doc["jwks_uri"] = w.URL + "/nothing" } },
		"keys are nowhere": func(w *world) { w.discovery = func(doc map[string]any) { delete(doc, "jwks_uri") } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			secret := w.job(t, nil)
			w.set(func() { broken(w) })
			id, err := w.a.Authenticate(t.Context(), secret)
			if !errors.Is(err, auth.ErrUnavailable) || errors.Is(err, auth.ErrInvalid) || strings.Contains(err.Error(), secret[:20]) {
				t.Errorf("%v", err)
			}
			if !id.Lapsed || id.Digest != auth.Digest(secret) || id.May(auth.Acquire, "acme/infra/x") || !id.May(auth.ReleaseLock, "acme/infra/x") {
				t.Errorf("%+v", id)
			}
			w.now = start.Add(time.Hour)
			w.lapsed(t, secret, "expired") // for this nobody need answer
		})
	}
}

// hang is a network on which nobody answers.
type hang struct{}

func (hang) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// An issuer that does not answer costs its caller a few seconds at most, and the
// next one nothing.
func TestIssuerHangs(t *testing.T) {
	t.Parallel()
	secret := newWorld(t).job(t, map[string]any{"iss": "https://silent.example"})
	synctest.Test(t, func(t *testing.T) {
		a, err := auth.New(&ledger{}, []auth.Issuer{{
			URL: "https://silent.example", Audience: "statelock",
			Rules: []auth.Rule{{Claims: map[string]auth.Value{"ref": "main"}, Workspaces: []auth.Template{"x"}}},
		}}, auth.Options{Transport: hang{}, Now: func() time.Time { return start }})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 2 {
			if _, err := a.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

// Nobody is kept who has gone, and that says nothing about the issuer.
func TestCallerGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.set(func() { w.wait = cancel })
	if _, err := w.a.Authenticate(ctx, w.job(t, nil)); !errors.Is(err, auth.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.set(func() { w.wait = nil })
	w.good(t, w.job(t, nil))
}

// Keys are fetched when needed, and no more often than is reasonable.
func TestFetches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.job(t, map[string]any{"exp": start.Add(100 * time.Hour).Unix()})
	stranger := sign(t, jose.RS256, rsaKeys()[1], "unknown", w.claims(map[string]any{"exp": start.Add(100 * time.Hour).Unix()}))
	fetched := func(want int64) {
		t.Helper()
		if n := w.fetches.Swap(0); n != want {
			t.Errorf("%d requests to the issuer, want %d", n, want)
		}
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if id, err := w.a.Authenticate(t.Context(), secret); err != nil || id.Lapsed {
				t.Errorf("%+v, %v", id, err)
			}
		})
	}
	wg.Wait()
	fetched(2)

	// Strangers, who can be any number.
	for range 20 {
		w.lapsed(t, stranger, "does not publish")
	}
	fetched(0)
	w.now = w.now.Add(fetchPause)
	for range 20 {
		w.lapsed(t, stranger, "does not publish")
	}
	fetched(2)

	// Each hour.
	w.now = w.now.Add(time.Hour)
	w.good(t, secret)
	w.good(t, secret)
	fetched(2)

	// Without success the keys serve on, for a day.
	w.set(func() { w.broken = func(r http.ResponseWriter) { r.WriteHeader(http.StatusBadGateway) } })
	w.now = w.now.Add(2 * time.Hour)
	w.good(t, secret)
	w.good(t, secret)
	fetched(1)
	w.now = w.now.Add(20 * time.Hour)
	w.good(t, secret)
	if _, err := w.a.Authenticate(t.Context(), stranger); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("a stranger while the issuer is down: %v", err)
	}
	w.now = w.now.Add(3 * time.Hour)
	if _, err := w.a.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("keys of yesterday: %v", err)
	}

	// A key that was withdrawn is not trusted for longer than an hour.
	w.set(func() { w.broken = nil })
	w.now = w.now.Add(time.Minute)
	w.good(t, secret)
	w.publish(public("two", rsaKeys()[1]))
	w.now = w.now.Add(time.Hour + time.Second)
	w.lapsed(t, secret, "does not publish")
}
