package auth

import (
	"encoding/json"
	"fmt"
	"testing"
)

func claimsOf(t *testing.T, doc string) claims {
	t.Helper()
	var c claims
	if err := json.Unmarshal([]byte(doc), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// All claims of a rule must match, each as a whole.
func TestRuleClaims(t *testing.T) {
	t.Parallel()
	const job = `{"repository": "acme/infra", "ref": "refs/heads/feature/x", "id": 12345678901234567890, "protected": true,
		"groups": ["dev", "ops", 7], "empty": "", "none": null, "nested": {"a": "b"}, "odd": "a[b]?\\c"}`
	c := claimsOf(t, job)
	for want, matches := range map[string]bool{
		`{"repository": "acme/infra"}`:                           true,
		`{"repository": "acme/infr"}`:                            false,
		`{"repository": "ACME/infra"}`:                           false,
		`{"repository": "acme/*"}`:                               true,
		`{"repository": "acme*"}`:                                false,
		`{"repository": "*"}`:                                    false,
		`{"repository": "**"}`:                                   true,
		`{"ref": "refs/heads/*"}`:                                false,
		`{"ref": "refs/heads/**"}`:                               true,
		`{"ref": "refs/heads/feature/x/**"}`:                     false,
		`{"id": 12345678901234567890}`:                           true,
		`{"id": "12345678901234567890"}`:                         true,
		`{"id": 12345678901234567891}`:                           false,
		`{"protected": true}`:                                    true,
		`{"protected": "true"}`:                                  true,
		`{"protected": false}`:                                   false,
		`{"groups": "ops"}`:                                      true,
		`{"groups": "7"}`:                                        true,
		`{"groups": "dev,ops"}`:                                  false,
		`{"missing": "*"}`:                                       false,
		`{"empty": "*"}`:                                         false,
		`{"none": "*"}`:                                          false,
		`{"none": "null"}`:                                       false,
		`{"nested": "**"}`:                                       false,
		`{"odd": "a[b]?\\c"}`:                                    true,
		`{"odd": "a[*]?\\c"}`:                                    true,
		`{"odd": "ab?\\c"}`:                                      false,
		`{"repository": "acme/infra", "ref": "refs/heads/main"}`: false,
		`{"repository": "acme/infra", "protected": true}`:        true,
	} {
		var r Rule
		if err := json.Unmarshal(fmt.Appendf(nil, `{"claims": %s, "workspaces": ["x"]}`, want), &r); err != nil {
			t.Fatal(err)
		}
		if _, ok := r.grant(c); ok != matches {
			t.Errorf("%s: %v", want, ok)
		}
	}
}

// What a claim says can't reach further than what it says.
func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, claims, want string }{
		{"plain/**", `{}`, "plain/**"},
		{"{repository}/**", `{"repository": "acme/infra"}`, "acme/infra/**"},
		{"{repository}/prod", `{"repository": "acme/infra"}`, "acme/infra/prod"},
		{"{project_path}/{ref}", `{"project_path": "g/s/p", "ref": "main"}`, "g/s/p/main"},
		{"{project_path}/{ref}/*", `{"project_path": "g/s/p", "ref": "main"}`, "g/s/p/main/*"},
		{"env-{environment}/{ref}/**", `{"environment": "prod", "ref": "main"}`, "env-prod/main/**"},
		{"env-{environment}/{ref}/**", `{"environment": "prod/eu", "ref": "main"}`, ""},
		{"all/env-{environment}.x", `{"environment": "prod"}`, "all/env-prod.x"},
		{"{id}", `{"id": 12345678901234567890}`, "12345678901234567890"},

		{"{repository}/**", `{}`, ""},
		{"{repository}/**", `{"repository": ""}`, ""},
		{"{repository}/**", `{"repository": null}`, ""},
		{"{repository}/**", `{"repository": ["acme/infra"]}`, ""},
		{"{repository}/**", `{"repository": {"a": "b"}}`, ""},
		{"{repository}/**", `{"repository": "*"}`, ""},
		{"{repository}/**", `{"repository": "acme/*"}`, ""},
		{"{repository}/**", `{"repository": "acme/**"}`, ""},
		{"{repository}", `{"repository": "**"}`, ""},
		{"{repository}/**", `{"repository": "acme/../other"}`, ""},
		{"{repository}/**", `{"repository": ".."}`, ""},
		{"{repository}/**", `{"repository": "/acme"}`, ""},
		{"{repository}/**", `{"repository": "acme/"}`, ""},
		{"{repository}/**", `{"repository": "acme//infra"}`, ""},
		{"{repository}/**", `{"repository": "{actor}", "actor": "x"}`, ""},
		{"{repository}/**", `{"repository": "a b"}`, ""},
		{"{repository}/**", `{"repository": "acmé"}`, ""},
		{"all/{environment}.", `{"environment": "."}`, ""},

		// main/prod is no environment prod of g/p/main.
		{"{project_path}/{ref}", `{"project_path": "g/p", "ref": "main/prod"}`, ""},
		{"all/env-{environment}", `{"environment": "x/prod"}`, ""},
		{"{environment}-env/**", `{"environment": "x/prod"}`, ""},
	} {
		template := Template(c.template)
		if err := template.Check(); err != nil {
			t.Fatal(err)
		}
		if got, ok := template.fill(claimsOf(t, c.claims)); ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s with %s: %q, %v", c.template, c.claims, got, ok)
		}
	}
}
