package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// How long an issuer's keys serve, and how often it is asked for them.
const (
	// keysFresh is after how long keys are fetched anew, so that one that the
	// issuer withdrew is trusted no longer.
	keysFresh = time.Hour
	// keysUsable is for how long they serve when that does not succeed.
	keysUsable = 24 * time.Hour
	// fetchPause is how long nothing is fetched after keys were: anybody can
	// send a JWT with a key that nobody knows.
	fetchPause = 10 * time.Second
	// retryPause is how long nothing is fetched after an attempt that failed.
	retryPause = time.Second
	// fetchTimeout is how long one fetch may take, with all that belongs to it:
	// a request waits for it, and its client is told 503 in time.
	fetchTimeout = 3 * time.Second
	// maxDocument is how much of a document is read, in bytes.
	maxDocument = 1 << 20
)

// keySet is an issuer's public keys, fetched when they are needed.
type keySet struct {
	issuer string
	client *http.Client
	now    func() time.Time

	// fetching is held by who fetches. A channel, since waiting for it must end
	// with the request that waits.
	fetching chan struct{}

	// err is how the last attempt failed, nil if it succeeded, and tried when it
	// ended. They belong to who holds fetching.
	err   error
	tried time.Time

	mu      sync.Mutex // guards what follows
	keys    []jose.JSONWebKey
	fetched time.Time // zero before the first time
}

func newKeySet(issuer string, o Options) *keySet {
	return &keySet{
		issuer: issuer,
		now:    o.Now,
		client: &http.Client{
			Transport: o.Transport,
			// What an issuer publishes is at its own address.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		fetching: make(chan struct{}, 1),
	}
}

// verdict is what an issuer's keys say about a signature.
type verdict int

const (
	// keyGone: the key that it is said to be made with is not there.
	keyGone verdict = iota
	// forged: it was not made with the key that it is said to be made with.
	forged
	// verified: one of the keys made it.
	verified
)

// verify judges a JWT's signature. Keys that are at hand serve if they can; an
// issuer that may have changed them is asked before a signature is refused. With
// an error the keys are not known, and the verdict is keyGone.
func (k *keySet) verify(ctx context.Context, token *jwt.JSONWebToken) (verdict, error) {
	keys, err := k.current(ctx, keysFresh)
	if old, ok := k.known(keysUsable); err != nil && ok {
		keys, err = old, nil
	}
	if err != nil {
		return keyGone, err
	}
	before := judge(token, keys)
	if before == verified {
		return verified, nil
	}
	keys, err = k.current(ctx, fetchPause)
	switch {
	case err == nil:
		return judge(token, keys), nil
	case before == forged:
		return forged, nil
	}
	return keyGone, err
}

func judge(token *jwt.JSONWebToken, keys []jose.JSONWebKey) verdict {
	header, v := token.Headers[0], keyGone
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != header.KeyID {
			continue
		}
		if (key.Algorithm == "" || key.Algorithm == header.Algorithm) && token.Claims(key.Key) == nil {
			return verified
		}
		if header.KeyID != "" {
			v = forged
		}
	}
	return v
}

// known gives the keys if they were fetched within an age.
func (k *keySet) known(age time.Duration) ([]jose.JSONWebKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys, !k.fetched.IsZero() && k.now().Sub(k.fetched) < age
}

// current gives keys that were fetched within an age, or else fetches them.
func (k *keySet) current(ctx context.Context, age time.Duration) ([]jose.JSONWebKey, error) {
	if keys, ok := k.known(age); ok {
		return keys, nil
	}
	select {
	case k.fetching <- struct{}{}:
		defer func() { <-k.fetching }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if keys, ok := k.known(age); ok { // who had the turn before has fetched them
		return keys, nil
	}
	if k.err != nil && k.now().Sub(k.tried) < retryPause {
		return nil, k.err
	}
	keys, err := k.fetch(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err() // which says nothing about the issuer
	}
	k.err, k.tried = err, k.now()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.fetched = keys, k.now()
	return keys, nil
}

// fetch asks the issuer for its keys, by OpenID Connect Discovery 1.0, section 4,
// and RFC 7517.
func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	var provider struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration", &provider); err != nil {
		return nil, err
	}
	if provider.Issuer != k.issuer {
		return nil, fmt.Errorf("%s says that it is the issuer %.200q", k.issuer, provider.Issuer)
	}
	scheme, _, _ := strings.Cut(k.issuer, ":")
	if at, err := url.Parse(provider.Keys); err != nil || at.Scheme != scheme || !safe(at) {
		return nil, fmt.Errorf("%s publishes its keys at %.200q, which is not safe", k.issuer, provider.Keys)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, provider.Keys, &set); err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	for _, doc := range set.Keys {
		var key jose.JSONWebKey
		// A key of a kind that is not known is to be passed over, RFC 7517,
		// section 5; one that is not public verifies nothing.
		if json.Unmarshal(doc, &key) == nil && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// get reads a JSON document.
func (k *keySet) get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	response, err := k.client.Do(request)
	if err != nil {
		return err // which names the URL
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch %s: %s", address, response.Status)
	}
	doc, err := io.ReadAll(io.LimitReader(response.Body, maxDocument))
	if err != nil {
		return fmt.Errorf("fetch %s: %w", address, err)
	}
	if err := json.Unmarshal(doc, into); err != nil {
		return fmt.Errorf("fetch %s: not the document that was expected: %w", address, err)
	}
	return nil
}
