package auth_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/auth"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// ledger is a table of tokens.
type ledger struct {
	tokens map[string]auth.Token
	down   error
	asked  int
}

func (l *ledger) Token(_ context.Context, id string) (auth.Token, error) {
	l.asked++
	if l.down != nil {
		return auth.Token{}, l.down
	}
	t, ok := l.tokens[id]
	if !ok {
		return auth.Token{}, auth.ErrNoToken
	}
	return t, nil
}

func mint(t *testing.T) (auth.Token, string) {
	t.Helper()
	token, secret := auth.Mint(auth.Token{
		Name: "ci", CreatedAt: start,
		Grant: auth.Grant{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"acme/**"}},
	})
	if err := token.Check(); err != nil {
		t.Fatal(err)
	}
	return token, secret
}

func authenticator(t *testing.T, tokens auth.Tokens, issuers []auth.Issuer, now *time.Time) *auth.Authenticator {
	t.Helper()
	a, err := auth.New(tokens, issuers, auth.Options{Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestToken(t *testing.T) {
	t.Parallel()
	token, secret := mint(t)
	now := start
	l := &ledger{tokens: map[string]auth.Token{token.ID: token}}
	a := authenticator(t, l, nil, &now)

	id, err := a.Authenticate(t.Context(), secret)
	if err != nil || id.Lapsed || id.Principal != "token:"+token.ID || id.Digest != auth.Digest(secret) || !id.May(auth.Acquire, "acme/x") || id.May(auth.Acquire, "other") {
		t.Fatalf("%+v, %v", id, err)
	}

	// No cache: what changes in the table counts at once.
	token.ExpiresAt = start.Add(time.Hour)
	l.tokens[token.ID] = token
	now = start.Add(time.Hour - time.Second)
	if id, err := a.Authenticate(t.Context(), secret); err != nil || id.Lapsed {
		t.Errorf("a second before it expires: %+v, %v", id, err)
	}
	now = start.Add(time.Hour)
	if id, err := a.Authenticate(t.Context(), secret); err != nil || !id.Lapsed || id.Why != "expired 2026-05-01T13:00:00Z" || id.May(auth.Acquire, "acme/x") || !id.May(auth.WriteState, "acme/x") {
		t.Errorf("expired: %+v, %v", id, err)
	}
	token.ExpiresAt, token.RevokedAt = time.Time{}, start
	l.tokens[token.ID] = token
	if id, err := a.Authenticate(t.Context(), secret); err != nil || !id.Lapsed || id.Why != "revoked 2026-05-01T12:00:00Z" {
		t.Errorf("revoked: %+v, %v", id, err)
	}
	if l.asked != 4 {
		t.Errorf("the table was asked %d times for 4 secrets", l.asked)
	}

	l.down = errors.New("throttled")
	if id, err := a.Authenticate(t.Context(), secret); !errors.Is(err, auth.ErrUnavailable) || errors.Is(err, auth.ErrInvalid) || id.Digest != "" {
		t.Errorf("table down: %+v, %v", id, err)
	}
}

// Lapsed or not, a token is known by its whole secret.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	token, secret := mint(t)
	other, otherSecret := mint(t)
	other.RevokedAt = start
	unknown, unknownSecret := mint(t)
	now := start
	l := &ledger{tokens: map[string]auth.Token{token.ID: token, other.ID: other}}
	a := authenticator(t, l, nil, &now)
	rest := func(secret string) string { return secret[len("sl_")+len(token.ID)+1:] }
	for name, wrong := range map[string]string{
		"unknown":              unknownSecret,
		"another's secret":     "sl_" + token.ID + "_" + rest(otherSecret),
		"of a revoked one":     "sl_" + other.ID + "_" + rest(secret),
		"the digest of it":     "sl_" + token.ID + "_" + strings.ToUpper(token.Digest[:52]),
		"one letter else":      secret[:len(secret)-1] + string('A'+(secret[len(secret)-1]-'A'+1)%8),
		"too short":            secret[:len(secret)-1],
		"too long":             secret + "A",
		"lower case":           strings.ToLower(secret),
		"a space":              secret + " ",
		"a key of the table":   "sl_token#" + token.ID + "_" + rest(secret),
		"an id with a NUL":     "sl_" + token.ID[:9] + "\x00_" + rest(secret),
		"no id":                "sl__" + rest(secret),
		"only the prefix":      "sl_",
		"nothing":              "",
		"a word":               "password",
		"dots":                 "..",
		"as long as you like":  strings.Repeat("a.", 1<<20),
		"a JWT of no issuer":   "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA",
		"a JWT without a body": "eyJhbGciOiJSUzI1NiJ9..AAAA",
	} {
		id, err := a.Authenticate(t.Context(), wrong)
		if !errors.Is(err, auth.ErrInvalid) || id.Digest != "" || id.Grants != nil {
			t.Errorf("%s: %+v, %v", name, id, err)
		}
		if len(wrong) > 20 && len(wrong) < 100 && strings.Contains(err.Error(), wrong[15:]) {
			t.Errorf("%s: the error shows it: %v", name, err)
		}
	}
	// Only what could be one is looked for: three wrong secrets of ids that
	// exist, one of an id that doesn't, and one that is made of the digest's
	// letters, if those happen to be base 32.
	if l.asked < 4 || l.asked > 5 {
		t.Errorf("the table was asked %d times", l.asked)
	}
	if id, ok := auth.TokenID(unknownSecret); !ok || id != unknown.ID {
		t.Errorf("TokenID is %s, %v", id, ok)
	}
}

// What is longer than any secret is not looked at.
func TestLongSecret(t *testing.T) {
	t.Parallel()
	now := start
	a := authenticator(t, &ledger{}, nil, &now)
	for length, why := range map[int]string{auth.MaxSecret: "neither a token nor a JWT", auth.MaxSecret + 1: "longer than 16384 bytes"} {
		if _, err := a.Authenticate(t.Context(), strings.Repeat("x", length)); !errors.Is(err, auth.ErrInvalid) || !strings.Contains(err.Error(), why) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

func TestTokenCheck(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*auth.Token){
		"a token's id":          func(x *auth.Token) { x.ID = "x#y" },
		"no name":               func(x *auth.Token) { x.Name = "" },
		"name: longer":          func(x *auth.Token) { x.Name = strings.Repeat("n", 300) },
		"name: only visible":    func(x *auth.Token) { x.Name = "a\nb" },
		"no permissions":        func(x *auth.Token) { x.Permissions = nil },
		`no permission "apply"`: func(x *auth.Token) { x.Permissions = []auth.Permission{"apply"} },
		"no workspaces":         func(x *auth.Token) { x.Workspaces = nil },
		`pattern "a**"`:         func(x *auth.Token) { x.Workspaces = []auth.Pattern{"a**"} },
		"no digest":             func(x *auth.Token) { x.Digest = "" },
		"expires before":        func(x *auth.Token) { x.ExpiresAt = x.CreatedAt },
	} {
		token, _ := mint(t)
		spoil(&token)
		if err := token.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
