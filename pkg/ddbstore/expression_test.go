package ddbstore

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestExpressions pins what DynamoDB is sent for every operation and every set
// of guards that a request may name.
func TestExpressions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, o := range lockmodel.Ops() {
		for _, guards := range []struct{ lockID, runner string }{{"", ""}, {"L", ""}, {"", "R"}, {"L", "R"}} {
			if o == lockmodel.Acquire && guards != struct{ lockID, runner string }{"L", "R"} {
				continue // an acquire names both
			}
			e := renderWrite(lockmodel.WriteFor(lockmodel.Request{Op: o, ID: "r", LockID: guards.lockID, Runner: guards.runner}))
			fmt.Fprintf(&b, "## %s", o)
			if guards.lockID != "" {
				b.WriteString(" lock_id")
			}
			if guards.runner != "" {
				b.WriteString(" runner")
			}
			condition := strings.ReplaceAll(e.condition, ") OR (", ")\n  OR (")
			fmt.Fprintf(&b, "\n\n    if  %s\n    do  %s\n\n", condition, strings.ReplaceAll(e.update, " REMOVE ", "\n        REMOVE "))
		}
	}
	const path = "testdata/expressions.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("expressions differ from %s; run go test ./pkg/ddbstore -update and read the diff", path)
	}
}
