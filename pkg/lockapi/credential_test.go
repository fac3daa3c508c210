package lockapi_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// guarded is an API that asks for credentials, with a clock that tests move.
type guarded struct {
	*testdb.DB
	*lockapi.API
	tokens *ddbstore.Tokens
	now    time.Time
	log    strings.Builder
}

func newGuarded(t *testing.T, change ...func(*lockapi.Options)) *guarded {
	t.Helper()
	g := &guarded{DB: testdb.Open(t), now: time.UnixMilli(1_800_000_000_000)}
	g.tokens = &ddbstore.Tokens{Client: g.Client, Table: g.Table}
	clock := func() time.Time { return g.now }
	credentials, err := auth.New(g.tokens, nil, auth.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	options := lockapi.Options{Log: slog.New(slog.NewTextHandler(&g.log, nil)), Credentials: credentials}
	for _, c := range change {
		c(&options)
	}
	g.API = lockapi.New(ddbstore.New(g.Client, ddbstore.Options{Table: g.Table, Now: clock}), options)
	return g
}

// token makes one, valid for an hour, and gives its secret.
func (g *guarded) token(t *testing.T, ws auth.Pattern, permissions ...auth.Permission) (id, secret string) {
	t.Helper()
	token, secret := auth.Mint(auth.Token{
		Name: "a test's", Grant: auth.Grant{Permissions: permissions, Workspaces: []auth.Pattern{ws}},
		CreatedAt: g.now, ExpiresAt: g.now.Add(time.Hour),
	})
	if err := g.tokens.Create(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	return token.ID, secret
}

// basic is the header that Terraform sends.
func basic(secret string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("whoever:"+secret))
}

func TestNobodyGetsInWithoutACredential(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	id, secret := g.token(t, "**", auth.Permissions()...)
	other := secret[:len(secret)-1] + "A"
	if other == secret {
		other = secret[:len(secret)-1] + "B"
	}
	for _, route := range lockapi.Routes() {
		target := strings.ReplaceAll(route.Path, "{ws...}", "prod")
		for name, header := range map[string]string{
			"none": "", "no scheme": "Authorization: " + secret, "another scheme": "Authorization: Digest " + secret, "wrong": basic(other),
			"no such token": basic(strings.Replace(secret, id, strings.Repeat("a", len(id)), 1)), "empty": basic(""), "as user": "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(secret+":")),
		} {
			var headers []string
			if header != "" {
				headers = []string{header}
			}
			resp, answer := call(t, g, route.Method, target, `{"ws":"prod"}`, headers...)
			if resp.StatusCode != 401 || answer["code"] != "unauthorized" || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("%s %s, %s: %d %v", route.Method, target, name, resp.StatusCode, answer)
			}
		}
		for name, header := range map[string]string{"basic": basic(secret), "bearer": "Authorization: bearer " + secret} {
			if resp, answer := call(t, g, route.Method, target, `{"ws":"prod"}`, header); resp.StatusCode == 401 || resp.StatusCode == 403 {
				t.Errorf("%s %s, %s: %d %v", route.Method, target, name, resp.StatusCode, answer)
			}
		}
	}
	if strings.Contains(g.log.String(), secret[len(secret)-10:]) || strings.Contains(g.log.String(), other[len(other)-10:]) {
		t.Error("a secret is in the log")
	}
}

func TestTokenAllowsWhatItSays(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	_, ci := g.token(t, "team/**", auth.DefaultPermissions()...)
	_, reader := g.token(t, "team/prod", auth.Read)
	_, operator := g.token(t, "team/*", auth.Read, auth.MarkStale, auth.ForceUnlock)
	const path = "/v1/tf/team/prod"

	want(t, g, 403, "LOCK", "/v1/tf/other/prod", lockInfo("id-a", "ann"), basic(ci))
	want(t, g, 403, "LOCK", path, lockInfo("id-a", "ann"), basic(reader))
	got := want(t, g, 200, "LOCK", path, lockInfo("id-a", "ann"), basic(ci))
	if principal, _ := got["lock"].(map[string]any)["principal"].(string); !strings.HasPrefix(principal, "token:") {
		t.Errorf("held by %v", got["lock"])
	}
	want(t, g, 403, "POST", path+"?ID=id-a", "state", basic(reader))
	want(t, g, 200, "POST", path+"?ID=id-a", "state", basic(ci))
	want(t, g, 403, "DELETE", path+"?ID=id-a", "", basic(operator))
	want(t, g, 403, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-a","version":1}`, basic(reader))
	want(t, g, 403, "UNLOCK", path, lockInfo("id-a", "ann"), basic(operator))
	want(t, g, 403, "UNLOCK", path, "", basic(ci)) // a force-unlock
	want(t, g, 403, "POST", "/v1/mark-stale", `{"ws":"team/prod"}`, basic(ci))
	want(t, g, 409, "UNLOCK", path, "", basic(operator))
	want(t, g, 200, "POST", "/v1/mark-stale", `{"ws":"team/prod"}`, basic(operator))
	want(t, g, 200, "UNLOCK", path, "", basic(operator))

	for _, target := range []string{path, "/v1/versions/team/prod?version=1"} {
		if resp := get(t, g, target, basic(reader)); resp.StatusCode != 200 {
			t.Errorf("GET %s: %d", target, resp.StatusCode)
		}
	}
	for _, target := range []string{"/v1/locks/team/prod", "/v1/history/team/prod", "/v1/versions/team/prod"} {
		want(t, g, 200, "GET", target, "", basic(reader))
		want(t, g, 403, "GET", strings.Replace(target, "prod", "dev", 1), "", basic(reader))
	}
	want(t, g, 403, "GET", "/v1/tf/team/dev", "", basic(reader))

	// A list shows what may be read.
	want(t, g, 200, "LOCK", path, lockInfo("id-b", "ann"), basic(ci))
	want(t, g, 200, "LOCK", "/v1/tf/team/dev", lockInfo("id-c", "ann"), basic(ci))
	if locks := want(t, g, 200, "GET", "/v1/locks", "", basic(reader))["locks"].([]any); len(locks) != 1 {
		t.Errorf("a list with %v", locks)
	}
	_, writer := g.token(t, "team/prod", auth.WriteState)
	want(t, g, 403, "GET", "/v1/locks", "", basic(writer))
	// To restore is to read, too.
	want(t, g, 403, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-b","version":1}`, basic(writer))
}

// A credential that was valid at LOCK serves that hold to its end:
// terragrunt#396, tf#33264.
func TestCredentialLapsesDuringAHold(t *testing.T) {
	t.Parallel()
	for name, lapse := range map[string]func(*guarded, string){
		"expired": func(g *guarded, _ string) { g.now = g.now.Add(2 * time.Hour) },
		"revoked": func(g *guarded, id string) {
			if _, err := g.tokens.Revoke(t.Context(), id, g.now); err != nil {
				t.Fatal(err)
			}
			g.now = g.now.Add(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGuarded(t)
			id, secret := g.token(t, "**", auth.Permissions()...)
			_, foreign := g.token(t, "**", auth.Permissions()...)
			const path = "/v1/tf/prod"
			want(t, g, 200, "LOCK", path, lockInfo("id-a", "ann"), basic(secret))
			want(t, g, 200, "LOCK", "/v1/tf/other", lockInfo("id-o", "bob"), basic(foreign))
			lapse(g, id)
			before := len(g.Sorts(t, "other", ""))

			want(t, g, 404, "GET", path, "", basic(secret))
			want(t, g, 200, "POST", path+"?ID=id-a", "state", basic(secret))
			if resp := get(t, g, path, basic(secret)); resp.StatusCode != 200 {
				t.Errorf("GET: %d", resp.StatusCode)
			}
			// But no other hold, and nothing else, not even a look.
			for _, c := range [][3]string{
				{"POST", "/v1/tf/other?ID=id-o", "state"},
				{"POST", "/v1/tf/other?ID=id-a", "state"},
				{"POST", "/v1/tf/other", "state"},
				{"POST", "/v1/tf/free", "state"},
				{"UNLOCK", "/v1/tf/other", lockInfo("id-o", "bob")},
				{"UNLOCK", path, ""},
				{"POST", "/v1/release", `{"ws":"prod"}`},
				{"POST", "/v1/mark-stale", `{"ws":"prod","lock_id":"id-a"}`},
				{"POST", "/v1/renew", `{"ws":"prod","lock_id":"id-a","lease_seconds":60}`},
				{"LOCK", "/v1/tf/free", lockInfo("id-b", "ann")},
				{"GET", "/v1/tf/other", ""},
				{"GET", "/v1/tf/free", ""},
				{"GET", "/v1/versions/prod", ""},
				{"GET", "/v1/locks/prod", ""},
				{"POST", "/v1/restore", `{"ws":"prod","lock_id":"id-a","version":1}`},
			} {
				answer := want(t, g, 401, c[0], c[1], c[2], basic(secret))
				if s := marshal(t, answer); strings.Contains(s, "bob") || strings.Contains(s, "ann") {
					t.Errorf("%s %s tells %s", c[0], c[1], s)
				}
			}
			if after := len(g.Sorts(t, "other", "")); after != before {
				t.Error("a credential that lapsed stored something")
			}
			again := func(method, target, body string) { // the reply was lost
				t.Helper()
				if got := marshal(t, want(t, g, 200, method, target, body, basic(secret))); got != `{"ok":true,"repeat":true}` {
					t.Errorf("a repeated %s is told %s", method, got)
				}
			}
			again("POST", path+"?ID=id-a", "state")
			want(t, g, 200, "UNLOCK", path, lockInfo("id-a", "ann"), basic(secret))
			again("UNLOCK", path, lockInfo("id-a", "ann"))
			want(t, g, 401, "POST", path+"?ID=id-a", "another state", basic(secret))
			want(t, g, 401, "GET", path, "", basic(secret))
			want(t, g, 401, "LOCK", path, lockInfo("id-b", "ann"), basic(secret))
		})
	}
}

// A credential that may not read may not when it has lapsed, either.
func TestLapsedCredentialReadsNoMoreThanBefore(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	_, secret := g.token(t, "**", auth.Acquire, auth.WriteState, auth.ReleaseLock)
	want(t, g, 200, "LOCK", "/v1/tf/prod", lockInfo("id-a", "ann"), basic(secret))
	want(t, g, 403, "GET", "/v1/tf/prod", "", basic(secret))
	g.now = g.now.Add(2 * time.Hour)
	want(t, g, 401, "GET", "/v1/tf/prod", "", basic(secret))
	want(t, g, 200, "POST", "/v1/tf/prod?ID=id-a", "state", basic(secret))
}

// A gateway that authorizes callers is believed, but it can't know Terraform's.
func TestBehindGateway(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *lockapi.Options) { o.BehindGateway = true })
	want(t, g, 200, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`)
	for _, route := range lockapi.Routes() {
		resp, answer := call(t, g, route.Method, strings.ReplaceAll(route.Path, "{ws...}", "prod"), `{"ws":"prod"}`)
		if (resp.StatusCode == 401) != route.Terraform {
			t.Errorf("%s %s: %d %v", route.Method, route.Path, resp.StatusCode, answer)
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.ServeHTTP(w, r.WithContext(lockapi.WithPrincipal(r.Context(), "iam:someone")))
	})
	want(t, h, 404, "GET", "/v1/tf/prod", "") // whoever is known is let in
}

// An issuer that can't be reached makes nobody's credential invalid: what can't
// go on is tried again.
func TestLapsedBecauseNobodyCanTell(t *testing.T) {
	t.Parallel()
	down := errors.Join(auth.ErrUnavailable, errors.New("the issuer is down"))
	identity := auth.Identity{Principal: "jwt:x|y", Digest: "d", Grants: []auth.Grant{{Permissions: auth.Permissions(), Workspaces: []auth.Pattern{"**"}}}}
	var job telling
	g := newGuarded(t, func(o *lockapi.Options) { o.Credentials = &job })
	job.Identity = identity
	want(t, g, 200, "LOCK", "/v1/tf/prod", lockInfo("id-a", "ann"), basic("x"))
	job.Lapsed, job.err = true, down
	want(t, g, 200, "POST", "/v1/tf/prod?ID=id-a", "state", basic("x"))
	for _, c := range [][3]string{{"GET", "/v1/tf/free", ""}, {"GET", "/v1/locks", ""}, {"LOCK", "/v1/tf/free", lockInfo("id-b", "ann")}, {"POST", "/v1/tf/prod?ID=id-b", "state"}, {"UNLOCK", "/v1/tf/prod", lockInfo("id-b", "ann")}} {
		want(t, g, 503, c[0], c[1], c[2], basic("x"))
	}
	job.err = nil
	want(t, g, 401, "GET", "/v1/locks", "", basic("x"))
	want(t, g, 200, "UNLOCK", "/v1/tf/prod", lockInfo("id-a", "ann"), basic("x"))
}

// telling gives every secret the same answer.
type telling struct {
	auth.Identity
	err error
}

func (t *telling) Authenticate(context.Context, string) (auth.Identity, error) {
	return t.Identity, t.err
}

type failing struct{ error }

func (f failing) Authenticate(context.Context, string) (auth.Identity, error) {
	return auth.Identity{}, f.error
}

// What can't be checked is no "unauthorized": Terraform tries again.
func TestCredentialsThatCannotBeChecked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, func(o *lockapi.Options) {
		o.Credentials = failing{errors.Join(auth.ErrUnavailable, errors.New("a secret of the issuer"))}
	})
	resp, answer := call(t, g, "LOCK", "/v1/tf/prod", lockInfo("id-a", "ann"), basic("x"))
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || strings.Contains(marshal(t, answer), "secret") {
		t.Errorf("%d %v", resp.StatusCode, answer)
	}
}

// Every operation of the table can be granted.
func TestPermissionsAreTheOperations(t *testing.T) {
	t.Parallel()
	for _, o := range lockmodel.Ops() {
		if err := auth.Permission(o.String()).Check(); err != nil {
			t.Error(err)
		}
	}
	if n := len(auth.Permissions()); n != len(lockmodel.Ops())+1 {
		t.Errorf("%d permissions for %d operations and reading", n, len(lockmodel.Ops()))
	}
}

// A list tells nothing of workspaces that the caller may not read: not by a page
// that is short of them, nor by what its cursor says.
func TestListHidesOthers(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	_, all := g.token(t, "**", auth.Permissions()...)
	_, mine := g.token(t, "team/**", auth.Read)
	pages := func() (pages []string) {
		cursor := ""
		for {
			page := want(t, g, 200, "GET", "/v1/locks?limit=1&cursor="+cursor, "", basic(mine))
			cursor, _ = page["cursor"].(string)
			where, err := base64.RawURLEncoding.DecodeString(cursor)
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, fmt.Sprint(page["locks"], string(where)))
			if cursor == "" {
				return pages
			}
		}
	}
	for _, ws := range []string{"team/b", "team/d"} {
		want(t, g, 200, "LOCK", "/v1/tf/"+ws, lockInfo("id-"+ws[5:], "ann"), basic(all))
	}
	alone := pages()
	for _, ws := range []string{"secret/a", "team", "team-c", "zebra"} {
		want(t, g, 200, "LOCK", "/v1/tf/"+ws, lockInfo("id-x", "ann"), basic(all))
	}
	if among := pages(); !slices.Equal(among, alone) || len(alone) != 3 {
		t.Errorf("alone %q, among others %q", alone, among)
	}
}
