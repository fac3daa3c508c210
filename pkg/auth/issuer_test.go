package auth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/auth"
)

const goodIssuers = `[
	{"issuer": "https://token.actions.githubusercontent.com", "audience": "statelock", "rules": [
		{"claims": {"repository": "acme/infra", "ref": "refs/heads/main"},
		 "workspaces": ["{repository}/**"], "permissions": ["read", "acquire", "renew", "release_lock", "write_state"]},
		{"claims": {"repository_owner_id": 123456789012345678901, "ref_protected": true}, "workspaces": ["acme/env-{environment}"]}]},
	{"issuer": "https://gitlab.example.com:8443", "audience": "https://locks.example.com", "rules": [
		{"claims": {"project_path": "acme/*"}, "workspaces": ["{project_path}/{ref}", "shared"], "permissions": ["read"]}]}]`

func TestParseIssuers(t *testing.T) {
	t.Parallel()
	issuers, err := auth.ParseIssuers([]byte(goodIssuers))
	if err != nil {
		t.Fatal(err)
	}
	second := issuers[0].Rules[1]
	if len(issuers) != 2 || second.Claims["repository_owner_id"] != "123456789012345678901" || second.Claims["ref_protected"] != "true" ||
		!slices.Equal(issuers[1].Rules[0].Permissions, []auth.Permission{auth.Read}) {
		t.Errorf("%+v", issuers)
	}
	if none, err := auth.ParseIssuers([]byte(`[]`)); err != nil || len(none) != 0 {
		t.Errorf("no issuers: %v", err)
	}
}

// What is wrong is named by its place.
func TestParseIssuersRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, with, want string }{
		{`"audience": "statelock"`, `"audiance": "statelock"`, `unknown field "audiance"`},
		{`"audience": "statelock"`, `"audience": ""`, "issuers[0].audience: missing"},
		{`"claims": {"project_path": "acme/*"}`, `"claim": {}`, `unknown field "claim"`},
		{`"claims": {"project_path": "acme/*"}`, `"claims": {}`, "issuers[1].rules[0].claims: too open"},
		{`"claims": {"project_path": "acme/*"}, `, ``, "issuers[1].rules[0].claims: too open"},
		{`"project_path": "acme/*"`, `"project_path": "**"`, "issuers[1].rules[0].claims: too open"},
		{`"project_path": "acme/*"`, `"project_path": "*/*", "sub": "*"`, "issuers[1].rules[0].claims: too open"},
		{`"acme/*"`, `""`, "issuers[1].rules[0].claims.project_path: must be a string that isn't empty"},
		{`"acme/*"`, `null`, "issuers[1].rules[0].claims.project_path: must be"},
		{`"acme/*"`, `["acme/x"]`, "issuers[1].rules[0].claims.project_path: must be"},
		{`"acme/*"`, `{"is": "acme"}`, "issuers[1].rules[0].claims.project_path: must be"},
		{`["{project_path}/{ref}", "shared"]`, `[]`, "issuers[1].rules[0].workspaces: missing"},
		{`"shared"`, `"sha**"`, "issuers[1].rules[0].workspaces[1]: workspace pattern"},
		{`"{project_path}/{ref}"`, `"{project_path}/{ref"`, "issuers[1].rules[0].workspaces[0]: "},
		{`"{project_path}/{ref}"`, `"{}/x"`, "want the name of a claim in braces"},
		{`"{project_path}/{ref}"`, `"{project_path}-{ref}"`, "more than one claim in the segment"},
		{`"{project_path}/{ref}"`, `"{project_path}/{ref}/**"`, "more than one claim, and ** at the end"},
		{`"{project_path}/{ref}"`, `"{project_path}*/x"`, "a claim and * in the segment"},
		{`"{project_path}/{ref}"`, `"../{ref}"`, `no "." or ".." segment`},
		{`["read"]`, `["reed"]`, `issuers[1].rules[0].permissions[0]: there is no permission "reed"`},
		{`"https://gitlab.example.com:8443"`, `"https://token.actions.githubusercontent.com"`, "issuers[1].issuer: https://token.actions.githubusercontent.com is there already"},
		{`"https://gitlab.example.com:8443"`, `"http://gitlab.example.com"`, "issuers[1].issuer: \"http://gitlab.example.com\" must begin with https://"},
		{`"https://gitlab.example.com:8443"`, `"https://jane:pw@gitlab.example.com"`, "issuers[1].issuer: "},
		{`"https://gitlab.example.com:8443"`, `"gitlab.example.com"`, "issuers[1].issuer: "},
		{`"https://gitlab.example.com:8443"`, `"https://gitlab.example.com?x=y"`, "issuers[1].issuer: "},
		{`"permissions": ["read"]}]}]`, `"permissions": ["read"]}]}] []`, "more follows"},
		{`"permissions": ["read"]}]}]`, `"permissions": "read"}]}]`, "permissions"},
	} {
		doc := strings.Replace(goodIssuers, c.old, c.with, 1)
		if doc == goodIssuers {
			t.Fatalf("%s is not there", c.old)
		}
		if _, err := auth.ParseIssuers([]byte(doc)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.with, err, c.want)
		}
	}
	if _, err := auth.New(&ledger{}, []auth.Issuer{{URL: "https://a.example"}}, auth.Options{}); err == nil || !strings.Contains(err.Error(), "issuers[0].rules: missing") {
		t.Errorf("New: %v", err)
	}
}
