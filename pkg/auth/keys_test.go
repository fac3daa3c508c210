package auth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/statelock/statelock/pkg/auth"
)

// fetchPause is a bit longer than package auth's.
const fetchPause = 11 * time.Second

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

// While its keys can't be had nothing is known; but an apply under way ends well.
func TestIssuerDown(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(w *world){
		"down":   func(w *world) { w.Close() },
		"error":  func(w *world) { w.broken = func(r http.ResponseWriter) { r.WriteHeader(http.StatusBadGateway) } },
		"a page": func(w *world) { w.broken = func(r http.ResponseWriter) { r.Write([]byte("<html>")) } }, //nolint:errcheck // of no interest
		"endless": func(w *world) {
			w.discovery = func(doc map[string]any) { doc["more"] = strings.Repeat("x", 2<<20) }
		},
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
	w.invalid(t, sign(t, jose.RS256, rsaKeys()[1], "one", w.claims(nil)), "the signature is wrong")
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

// answers is a network with one document on it, which notes what is asked for.
type answers struct {
	status   int
	location string
	doc      string
	asked    []string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.URL.String())
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Header: http.Header{"Location": {a.location}},
		Body: io.NopCloser(strings.NewReader(a.doc)), Request: r,
	}, nil
}

// No issuer can send us elsewhere than to its keys, by a way that is safe.
func TestUnsafeKeysAreNotFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const remote, local = "https://issuer.example", "http://127.0.0.1:1"
	for _, c := range []struct{ issuer, keys string }{
		{remote, "http://issuer.example/keys"},
		{remote, "http://127.0.0.1/keys"},
		{remote, "https://jane:secret@issuer.example/keys"},
		{remote, "file:///etc/passwd"},
		{remote, "/keys"},
		{remote, "https:///keys"},
		{remote, "https://issuer.example:x/keys"},
		{local, "http://192.0.2.1/keys"},
		{local, "http://169.254.169.254/latest/meta-data"},
		{local, "https://issuer.example/keys"},
		{remote, ""}, // it answers with a redirect
	} {
		network := &answers{status: http.StatusOK, doc: `{"issuer": "` + c.issuer + `", "jwks_uri": "` + c.keys + `"}`}
		if c.keys == "" {
			network.status, network.location = http.StatusFound, "https://elsewhere.example/"
		}
		a, err := auth.New(&ledger{}, []auth.Issuer{{
			URL: c.issuer, Audience: "statelock",
			Rules: []auth.Rule{{Claims: map[string]auth.Value{"ref": "main"}, Workspaces: []auth.Template{"x"}}},
		}}, auth.Options{Transport: network, Now: func() time.Time { return start }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Authenticate(t.Context(), w.job(t, map[string]any{"iss": c.issuer}))
		if want := c.issuer + "/.well-known/openid-configuration"; !errors.Is(err, auth.ErrUnavailable) || len(network.asked) != 1 || network.asked[0] != want {
			t.Errorf("%s: asked for %v, %v", c.keys, network.asked, err)
		}
	}
}
