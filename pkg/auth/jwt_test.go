package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/statelock/statelock/pkg/auth"
)

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
		"an endless subject":      {w.job(t, map[string]any{"sub": strings.Repeat("s", 2000)}), "no usable sub"},
		"a subject of two lines":  {w.job(t, map[string]any{"sub": "a\nb"}), "no usable sub"},
		"unknown issuer":          {w.job(t, map[string]any{"iss": "https://evil.example"}), `no issuer "https://evil.example"`},
		"issuer with a slash":     {w.job(t, map[string]any{"iss": w.URL + "/"}), "no issuer"},
		"no issuer":               {w.job(t, map[string]any{"iss": nil}), "no issuer"},
	} {
		t.Run(name, func(t *testing.T) { w.invalid(t, c.secret, c.why) })
	}
	w.good(t, good)
}
