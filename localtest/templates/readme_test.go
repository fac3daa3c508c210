package templates_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/templates"
)

// What the module takes and gives is what its README says, and every setting and
// alarm is explained to operators.
func TestDocumented(t *testing.T) {
	t.Parallel()
	template, module := definitions(t)
	readme, err := os.ReadFile("../../infra/README.md")
	if err != nil {
		t.Fatal(err)
	}
	operations, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var declared, told []string
	for _, file := range []string{"variables.tf", "outputs.tf"} {
		for _, match := range regexp.MustCompile(`(?m)^(?:variable|output) "(\w+)"`).FindAllSubmatch(module[file].Data, -1) {
			declared = append(declared, string(match[1]))
		}
	}
	for _, match := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(readme, -1) {
		told = append(told, string(match[1]))
	}
	slices.Sort(declared)
	slices.Sort(told)
	if diff := cmp.Diff(declared, told); diff != "" {
		t.Errorf("-module +README\n%s", diff)
	}
	facts, err := templates.SAM(template, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range facts {
		if setting, ok := strings.CutSuffix(name, ".default"); ok {
			if variable := strings.TrimPrefix(setting, "setting."); !strings.Contains(string(operations), "`"+variable+"`") {
				t.Errorf("docs/operations.md doesn't explain %s", variable)
			}
		}
		if alarm, ok := strings.CutSuffix(strings.TrimPrefix(name, "alarm."), ".metric"); ok && !strings.Contains(string(operations), alarm) {
			t.Errorf("docs/operations.md doesn't say what to do about the alarm %s", alarm)
		}
	}
}
