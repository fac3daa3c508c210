package auth_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/statelock/statelock/pkg/auth"
)

// unplugged is a network that isn't there.
type unplugged struct{}

func (unplugged) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("unplugged")
}

// FuzzAuthenticate: whatever the secret is, where there is no token and no
// issuer answers nobody is let in, except to finish what was begun with that
// very secret.
func FuzzAuthenticate(f *testing.F) {
	const url = "https://issuer.example"
	a, err := auth.New(&ledger{}, []auth.Issuer{{
		URL: url, Audience: "statelock",
		Rules: []auth.Rule{{Claims: map[string]auth.Value{"repository": "acme/*"}, Workspaces: []auth.Template{"{repository}/**"}}},
	}}, auth.Options{Transport: unplugged{}, Now: func() time.Time { return start }})
	if err != nil {
		f.Fatal(err)
	}
	_, secret := auth.Mint(auth.Token{})
	f.Add(secret)
	for _, expires := range []time.Time{start.Add(time.Minute), start.Add(-time.Hour)} {
		f.Add(sign(f, jose.RS256, rsaKeys()[0], "one", map[string]any{
			"iss": url, "sub": "repo:acme/infra", "aud": "statelock", "exp": expires.Unix(), "repository": "acme/infra",
		}))
	}
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, secret string) {
		id, err := a.Authenticate(t.Context(), secret)
		switch {
		case errors.Is(err, auth.ErrInvalid):
			if id.Digest != "" || id.Grants != nil {
				t.Errorf("invalid, and %+v", id)
			}
		case !id.Lapsed, id.Digest != auth.Digest(secret), id.May(auth.Acquire, "acme/infra/x"), id.MayAnywhere(auth.Read):
			t.Errorf("%+v, %v", id, err)
		}
	})
}
