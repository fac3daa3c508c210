package templates

import (
	"os"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/statelock/statelock/pkg/auth"
)

// The rules of the example are such as the function takes, and let nobody but
// operators take a lock away.
func TestExampleIssuers(t *testing.T) {
	t.Parallel()
	const path = "../../infra/examples/github/main.tf"
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, diagnostics := hclsyntax.ParseConfig(source, path, hcl.InitialPos)
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	blocks := file.Body.(*hclsyntax.Body).Blocks
	ctx := &hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{"package": cty.StringVal("lock.zip")}),
	}}
	if err := locals(blocks, ctx); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.Type != "module" {
			continue
		}
		settings, err := evaluate(b.Body, ctx)
		if err != nil {
			t.Fatal(err)
		}
		issuers, err := auth.ParseIssuers([]byte(text(settings["issuers"])))
		if err != nil {
			t.Fatal(err)
		}
		if len(issuers) != 1 || issuers[0].URL != settings["jwt_issuer"] || issuers[0].Audience != settings["jwt_audience"] {
			t.Errorf("the gateway is to take JWTs of %v for %v, the function %+v", settings["jwt_issuer"], settings["jwt_audience"], issuers)
		}
		for _, rule := range issuers[0].Rules {
			for _, p := range rule.Permissions {
				if (p == auth.ForceUnlock || p == auth.MarkStale) && rule.Claims["environment"] == "" {
					t.Errorf("a job without reviewers may %s: %v", p, rule.Claims)
				}
			}
		}
		return
	}
	t.Error("the example has no module")
}
