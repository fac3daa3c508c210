package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// issuer is an OIDC issuer as CI systems have one: it publishes its key, and
// signs a JWT for each job.
type issuer struct {
	url    string
	signer jose.Signer
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	is := &issuer{url: server.URL}
	for path, doc := range map[string]any{
		"/.well-known/openid-configuration": map[string]any{"issuer": is.url, "jwks_uri": is.url + "/keys"},
		"/keys":                             jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}},
	} {
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(body) //nolint:errcheck // to a client that asks again
		})
	}
	is.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// job gives the JWT of a job of a repository, good for so long.
func (is *issuer) job(t *testing.T, repository string, good time.Duration) string {
	t.Helper()
	now := time.Now()
	signed, err := jwt.Signed(is.signer).Claims(map[string]any{
		"iss": is.url, "aud": "statelock", "sub": "repo:" + repository, "repository": repository,
		"iat": now.Unix(), "exp": now.Add(good).Unix(),
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// A CI job's own JWT is its password, for its repository's workspaces. One that
// expires during an apply serves that to its end.
func TestJobsJWT(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		is := newIssuer(t)
		file := filepath.Join(t.TempDir(), "issuers.json")
		rules := `[{"issuer":"` + is.url + `","audience":"statelock","rules":[{"claims":{"repository":"acme/*"},"workspaces":["{repository}/**"]}]}]`
		if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
			t.Fatal(err)
		}
		s := serve(t, "--issuers="+file)
		var err error
		if s.Client, err = client.New(s.url, client.Options{Credentials: client.Bearer(is.job(t, "acme/infra", time.Hour))}); err != nil {
			t.Fatal(err)
		}
		stranger := k.folder(t, things)
		stranger.env = append(stranger.env, "TF_HTTP_PASSWORD="+is.job(t, "acme/other", time.Hour))
		stranger.write(t, "backend.tf", k.backend(t, s.url, "acme/infra/prod"))
		stranger.run(t, "init").fails(t, "invalid auth")

		p := k.folder(t, things)
		// A minute's leeway for clocks, and what is left for the apply to begin.
		job := is.job(t, "acme/infra", -45*time.Second)
		p.env = append(p.env, "TF_HTTP_PASSWORD="+job)
		p.write(t, "backend.tf", k.backend(t, s.url, "acme/infra/prod"))
		p.run(t, "init").works(t)
		held, open := p.applyHeld(t, "one")
		if v := s.is(t, "acme/infra/prod", lockmodel.Held); v.Principal != "jwt:"+is.url+"|repo:acme/infra" {
			t.Errorf("held by %+v", v)
		}
		s.awaitLapse(t, "acme/infra/prod", job)
		open()
		held.works(t)
		s.is(t, "acme/infra/prod", lockmodel.Unlocked)
		if versions, err := s.Versions(t.Context(), "acme/infra/prod"); err != nil || len(versions) != 1 {
			t.Errorf("versions %+v, %v", versions, err)
		}
	})
}
