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
	for _, r := range requests() {
		e := renderWrite(lockmodel.WriteFor(r))
		fmt.Fprintf(&b, "## %s", r.Op)
		for _, with := range []struct {
			name string
			is   bool
		}{
			{"lock_id", r.LockID != ""},
			{"runner", r.Runner != ""},
			{"lease", r.Lease > 0},
			{"notice", r.Terms.Notice > 0},
			{"max_hold", r.Terms.MaxHold > 0},
			{"info", r.Info != ""},
			{"credential", r.Credential != ""},
			{"lapsed", r.Lapsed},
			{"version", r.Version != ""},
			{"restore", r.Restore},
			{"serial", r.Version != "" && r.Serial != lockmodel.Missing},
		} {
			if with.is {
				b.WriteString(", " + with.name)
			}
		}
		condition := strings.ReplaceAll(e.condition, ") OR (", ")\n  OR (")
		fmt.Fprintf(&b, "\n\n    if  %s\n    do  %s\n\n", condition, strings.ReplaceAll(e.update, " REMOVE ", "\n        REMOVE "))
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

// requests gives a request of every shape that has an expression of its own.
func requests() []lockmodel.Request {
	var all []lockmodel.Request
	for _, o := range lockmodel.Ops() {
		for _, lockID := range []string{"", "L"} {
			for _, runner := range []string{"", "R"} {
				r := lockmodel.Request{Op: o, ID: "r", LockID: lockID, Runner: runner}
				switch o {
				case lockmodel.Acquire:
					if lockID == "" || runner == "" {
						continue // it names both
					}
					leased := r
					leased.Lease = 1
					described := r
					described.Info, described.Credential = "I", "C"
					all = append(all, r, leased, described)
				case lockmodel.Renew:
					r.Lease = 1
					longest := r
					longest.Terms.MaxHold = 1
					all = append(all, r, longest)
				case lockmodel.MarkStale:
					longest := r
					longest.Terms.MaxHold = 1
					all = append(all, r, longest)
				case lockmodel.WriteState:
					if runner != "" {
						continue // nobody names one
					}
					written := r
					written.Version, written.Checksum, written.Size = "v", "sum", 1
					opaque := written
					opaque.Serial = lockmodel.Missing
					all = append(all, r, written, opaque)
					if lockID != "" {
						lapsed, restored := written, written
						lapsed.Credential, lapsed.Lapsed = "C", true
						restored.Restore = true
						all = append(all, lapsed, restored)
					}
				case lockmodel.ForceUnlock:
					noticed := r
					noticed.Terms.Notice = 1
					all = append(all, r, noticed)
				default:
					all = append(all, r)
				}
			}
		}
	}
	return all
}
