package lockmodel

import (
	"os"
	"testing"
)

// TestMarkdown compares the rendered table with the copy in docs/, which is
// its golden file: a change of the table shows there, cell by cell.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	const path = "../../docs/transitions.md"
	if *update {
		if err := os.WriteFile(path, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != Markdown() {
		t.Errorf("%s differs from the table; run go test ./pkg/lockmodel -update and read the diff", path)
	}
}
