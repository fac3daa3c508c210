package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// TestTerraformClientThroughTheGateway has the real client apply by way of a
// gateway and the binary, while the function's answers to its LOCK, POST and
// UNLOCK are lost between the two, once each: the gateway answers 5xx then, as
// API Gateway does when the function is too late, and the client tries again.
// https://github.com/opentofu/opentofu/issues/4405
func TestTerraformClientThroughTheGateway(t *testing.T) {
	t.Parallel()
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs terraform, which is not installed")
	}
	f, db := deploy(t, 1)
	var mu sync.Mutex
	lost := map[string]bool{}
	url := serve(t, &lambdaruntime.Gateway{Invoke: func(ctx context.Context, event []byte) ([]byte, error) {
		answer, err := f.Invoke(ctx, event)
		for name, sign := range map[string]string{
			"lock": `"rawPath":"/v1/tf-lock/prod","rawQueryString":"","`, "post": `"rawQueryString":"ID=`, "unlock": `"method":"DELETE"`,
		} {
			mu.Lock()
			first := strings.Contains(string(event), sign) && !lost[name]
			lost[name] = lost[name] || first
			mu.Unlock()
			if first {
				return nil, errors.New("the answer is lost")
			}
		}
		return answer, err
	}})
	token, secret := auth.Mint(auth.Token{
		Name: "ci", CreatedAt: time.Now(),
		Grant: auth.Grant{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"prod"}},
	})
	if err := (&ddbstore.Tokens{Client: db.Client, Table: db.Table}).Create(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := fmt.Sprintf(`
terraform {
  backend "http" {
    address        = "%[1]s/v1/tf/prod"
    lock_address   = "%[1]s/v1/tf-lock/prod"
    lock_method    = "POST"
    unlock_address = "%[1]s/v1/tf-lock/prod"
    unlock_method  = "DELETE"
    username       = "ci"
  }
}
resource "terraform_data" "thing" { input = "one" }
`, url)
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), terraform, args...)
		c.Dir = dir
		c.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE=/dev/null",
			"TF_IN_AUTOMATION=1", "TF_HTTP_PASSWORD=" + secret,
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("terraform %s: %v\n%s", args[0], err, out)
		}
	}
	run("init", "-input=false")
	run("apply", "-auto-approve", "-input=false")

	if len(lost) != 3 {
		t.Errorf("not all answers were lost: %v", lost)
	}
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	l, err := store.Lock(t.Context(), "prod")
	if err != nil || l.State != lockmodel.Unlocked || l.Fence != 1 || l.VersionNo != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}
