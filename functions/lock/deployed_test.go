package main

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/statelock/statelock/localtest/exchange"
	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/localtest/templates"
	"github.com/statelock/statelock/localtest/testdb"
)

// This file runs the function as the templates deploy it: the packed archive, the
// settings, and a gateway that lets through what the managed policies allow.

// unpacked packs the binary as a deployment does, and gives the bootstrap that
// Lambda would unpack.
func unpacked(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "lock.zip")
	if out, err := exec.CommandContext(t.Context(), "go", "run", "../../tools/lambdazip", archive, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packed, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close() //nolint:errcheck // it was only read
	if len(packed.File) != 1 || packed.File[0].Name != "bootstrap" || packed.File[0].Mode().Perm()&0o111 == 0 {
		t.Fatalf("packed: %v", packed.File)
	}
	in, err := packed.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	bootstrap := filepath.Join(t.TempDir(), "bootstrap")
	out, err := os.OpenFile(bootstrap, os.O_CREATE|os.O_WRONLY, packed.File[0].Mode())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return bootstrap
}

// deployed starts a function of the template, with its settings and others.
func deployed(t *testing.T, d duty, db *testdb.DB, more ...string) *lambdaruntime.Function {
	t.Helper()
	environ := []string{}
	for name, value := range deployments(t)["template.yaml"].Part("function." + string(d) + ".env.") {
		environ = append(environ, name+"="+strings.ReplaceAll(value, "<table>", db.Table))
	}
	return start(t, unpacked(t), 1, append(environ, more...)...)
}

// iam is IAM's part: callers by the header X-Test-Caller, "ci/NAME" or
// "operator/NAME", who may do what the managed policy of that name allows.
func iam(t *testing.T) func(*http.Request) (map[string]any, error) {
	t.Helper()
	facts := deployments(t)["template.yaml"]
	return func(r *http.Request) (map[string]any, error) {
		caller := r.Header.Get("X-Test-Caller")
		policy, _, _ := strings.Cut(caller, "/")
		if !allows(facts, policy, "<api.arn>/$default/"+r.Method+r.URL.Path) {
			return nil, lambdaruntime.ErrForbidden
		}
		return map[string]any{"iam": map[string]any{"userArn": "arn:aws:iam::111122223333:user/" + caller}}, nil
	}
}

// allows reports whether a managed policy lets a request through: "*" stands for
// any text, see "Policies with resource statement" of IAM's user guide.
func allows(facts templates.Facts, policy, resource string) bool {
	for pattern := range strings.SplitSeq(facts["policy."+policy+".allow.execute-api:Invoke"], ", ") {
		expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
		if pattern != "" && regexp.MustCompile(expression).MatchString(resource) {
			return true
		}
	}
	return false
}

// as adds a header to each request.
type as struct{ name, value string }

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(a.name, a.value)
	return http.DefaultTransport.RoundTrip(r)
}

// ask sends a request and gives its status and JSON.
func ask(t *testing.T, url, method, path, body string, headers ...string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, decode(t, []byte(readAll(t, resp.Body)))
}

// TestDeployedExchange tells the whole story to the archive, as an operator who
// signs requests.
func TestDeployedExchange(t *testing.T) {
	t.Parallel()
	db, endpoint := database(t)
	url := serve(t, &lambdaruntime.Gateway{Invoke: deployed(t, dutyAPI, db, endpoint).Invoke, Authorize: iam(t)})
	client := &http.Client{Transport: as{"X-Test-Caller", "operator/jane"}}
	exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
		return exchange.Do(ctx, t, client, url, op, ws, runner)
	})
}

// TestDeployedIAM: CI can't take a lock away, nobody frees another's, and who
// somebody is is what IAM says, whatever the request says.
func TestDeployedIAM(t *testing.T) {
	t.Parallel()
	db, endpoint := database(t)
	url := serve(t, &lambdaruntime.Gateway{Invoke: deployed(t, dutyAPI, db, endpoint).Invoke, Authorize: iam(t)})
	const ci, other, operator = "X-Test-Caller: ci/job-1", "X-Test-Caller: ci/job-2", "X-Test-Caller: operator/jane"
	const hold = `{"ws":"prod","runner":"ci-runner-7"}`

	if status, answer := ask(t, url, "POST", "/v1/acquire", `{"ws":"prod","runner":"ci-runner-7","principal":"iam:jane"}`, ci); status != 400 || answer["field"] != "principal" {
		t.Errorf("a principal in the body: %d %v", status, answer)
	}
	status, answer := ask(t, url, "POST", "/v1/acquire", hold, ci,
		"X-Amzn-Principal: jane", "X-Principal: jane", "X-Forwarded-User: jane", "X-Amz-User-Arn: arn:aws:iam::111122223333:user/jane")
	if lock, _ := answer["lock"].(map[string]any); status != 200 || lock["principal"] != "iam:arn:aws:iam::111122223333:user/ci/job-1" {
		t.Errorf("acquire: %d %v", status, answer)
	}
	before := db.Get(t, "prod")
	for _, request := range []string{"POST /v1/force-unlock", "POST /v1/mark-stale", "POST /v1/restore", "GET /v1/versions/prod"} {
		method, path, _ := strings.Cut(request, " ")
		if status, answer := ask(t, url, method, path, `{"ws":"prod"}`, ci); status != 403 {
			t.Errorf("CI: %s: %d %v", request, status, answer)
		}
	}
	if status, answer := ask(t, url, "POST", "/v1/release", `{"ws":"prod"}`, other); status != 409 || answer["code"] != "not_holder" {
		t.Errorf("a release by another job: %d %v", status, answer)
	}
	if status, answer := ask(t, url, "POST", "/v1/force-unlock", `{"ws":"prod"}`, operator); status != 409 || answer["code"] != "not_stale" {
		t.Errorf("force-unlock of a live lock: %d %v", status, answer)
	}
	if after := db.Get(t, "prod"); len(after) == 0 || marshalled(t, before) != marshalled(t, after) {
		t.Errorf("the lock was changed: %v, then %v", before, after)
	}
	for _, step := range []struct{ method, path, body, caller string }{
		{"GET", "/v1/locks/prod", "", ci},
		{"GET", "/v1/history/prod", "", ci},
		{"GET", "/v1/locks", "", ci},
		{"POST", "/v1/mark-stale", `{"ws":"prod"}`, operator},
		{"POST", "/v1/force-unlock", `{"ws":"prod"}`, operator},
		{"POST", "/v1/acquire", hold, other},
		{"POST", "/v1/release", `{"ws":"prod"}`, other},
	} {
		if status, answer := ask(t, url, step.method, step.path, step.body, step.caller); status != 200 {
			t.Errorf("%s %s: %d %v", step.caller, step.path, status, answer)
		}
	}
}

func marshalled(t *testing.T, v any) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// issuer is a source of JWTs with one key.
type issuer struct {
	*httptest.Server
	key *rsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"}) //nolint:errcheck // the client will see
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "one", Use: "sig"}}}) //nolint:errcheck // the client will see
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token gives the JWT of a repository.
func (i *issuer) token(t *testing.T, repository string) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: i.key, KeyID: "one"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": i.URL, "aud": "statelock", "sub": "repo:" + repository, "repository": repository,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestDeployedJWT: the gateway's authorizer lets every JWT of the issuer through.
// What it allows is left to the rules, which a job of another's doesn't meet.
func TestDeployedJWT(t *testing.T) {
	t.Parallel()
	issuer := newIssuer(t)
	rules := `[{"issuer":"` + issuer.URL + `","audience":"statelock","rules":[
		{"claims":{"repository":"acme/infra"},"workspaces":["acme/**"]},
		{"claims":{"repository":"acme/operations"},"workspaces":["acme/**"],"permissions":["read","acquire","release_lock","mark_stale","force_unlock"]}]}]`
	db, endpoint := database(t)
	f := deployed(t, dutyAPI, db, endpoint, "STATELOCK_JWT=true", "STATELOCK_ISSUERS="+rules)
	url := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke, Authorize: func(r *http.Request) (map[string]any, error) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return nil, lambdaruntime.ErrUnauthorized
		}
		parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
		if err != nil {
			return nil, lambdaruntime.ErrUnauthorized
		}
		var claims map[string]any
		if parsed.Claims(issuer.key.Public(), &claims) != nil || claims["iss"] != issuer.URL || claims["aud"] != "statelock" {
			return nil, lambdaruntime.ErrUnauthorized
		}
		return map[string]any{"jwt": map[string]any{"claims": map[string]any{"iss": issuer.URL, "sub": claims["sub"].(string)}, "scopes": nil}}, nil
	}})
	by := func(repository string) string { return "Authorization: Bearer " + issuer.token(t, repository) }
	const hold = `{"ws":"acme/prod","runner":"ci-runner-7"}`
	for _, step := range []struct {
		want                         int
		method, path, body, identity string
	}{
		{403, "POST", "/v1/acquire", hold, by("evil/repo")},
		{403, "GET", "/v1/locks/acme/prod", "", by("evil/repo")},
		{403, "POST", "/v1/acquire", `{"ws":"other/prod","runner":"x"}`, by("acme/infra")},
		{200, "POST", "/v1/acquire", hold, by("acme/infra")},
		{403, "POST", "/v1/force-unlock", `{"ws":"acme/prod"}`, by("acme/infra")},
		{403, "POST", "/v1/mark-stale", `{"ws":"acme/prod"}`, by("acme/infra")},
		{409, "POST", "/v1/release", `{"ws":"acme/prod"}`, by("acme/operations")},
		{409, "POST", "/v1/force-unlock", `{"ws":"acme/prod"}`, by("acme/operations")},
		{200, "POST", "/v1/mark-stale", `{"ws":"acme/prod"}`, by("acme/operations")},
		{200, "POST", "/v1/force-unlock", `{"ws":"acme/prod"}`, by("acme/operations")},
		{401, "POST", "/v1/acquire", hold, "Authorization: Basic eDp5"},
	} {
		if status, answer := ask(t, url, step.method, step.path, step.body, step.identity); status != step.want {
			t.Errorf("%s %s %s: %d %v, want %d", step.method, step.path, step.body, status, answer, step.want)
		}
	}
	// Should the authorizer be taken from the routes, nobody gets in without a JWT.
	open := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke})
	if status, answer := ask(t, open, "POST", "/v1/acquire", hold); status != 401 {
		t.Errorf("without an authorizer: %d %v", status, answer)
	}
}

// TestDeployedOps: the operators' function takes commands, and what it takes from
// the API's function is refused there.
func TestDeployedOps(t *testing.T) {
	t.Parallel()
	db, endpoint := database(t)
	command := []byte(`{"op":"acquire","ws":"prod","runner":"jane"}`)
	if answer := invoke(t, deployed(t, dutyAPI, db, endpoint), command); answer["code"] != "bad_request" || db.Get(t, "prod") != nil {
		t.Errorf("the API's function: %v", answer)
	}
	ops := deployed(t, dutyOps, db, endpoint)
	if answer := invoke(t, ops, recorded(t, "http_api_v2_iam.json")); answer["code"] != "bad_request" || db.Get(t, "prod") != nil {
		t.Errorf("a gateway's event, forged: %v", answer)
	}
	if answer := invoke(t, ops, command); answer["ok"] != true {
		t.Errorf("the operators' function: %v", answer)
	}
}
