package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Terraform understands what is printed as it is meant: init records the
// settings that it read.
func TestBackendConfigIsTerraforms(t *testing.T) {
	t.Parallel()
	need(t, "terraform")
	s := newService(t)
	for name, args := range map[string][]string{
		"gateway": {"--lease=10m", `--user=a"${b}%{c}\'`},
		"verbs":   {"--verbs"},
		"nobody":  {"--user="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			block := backendConfig(t, s.url, args...)
			if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			init := exec.CommandContext(t.Context(), "terraform", "init", "-input=false", "-no-color")
			init.Dir = dir
			init.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE=/dev/null"}
			if out, err := init.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\nwith\n%s", err, out, block)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(backendConfig(t, s.url, append(args, "--json")...)), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, recordedBackend(t, dir)); diff != "" {
				t.Errorf("init recorded (-want +got):\n%s", diff)
			}
		})
	}
}

func backendConfig(t *testing.T, url string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "statelock", append(append([]string{"backend-config", "--url=" + url}, args...), "prod/eu")...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// recordedBackend gives the settings that init found in the configuration.
func recordedBackend(t *testing.T, dir string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ".terraform", "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Backend struct {
			Type   string
			Config map[string]any
		}
	}
	if err := json.Unmarshal(text, &recorded); err != nil || recorded.Backend.Type != "http" {
		t.Fatalf("%v in %s", err, text)
	}
	maps.DeleteFunc(recorded.Backend.Config, func(_ string, v any) bool { return v == nil })
	return recorded.Backend.Config
}
