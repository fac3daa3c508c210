package expr

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// Parsing never panics, and what it accepts prints as text that reads back to
// the same tree: the printed form is stable.
func FuzzParse(f *testing.F) {
	golden, err := os.Open("testdata/parse.txt")
	if err != nil {
		f.Fatal(err)
	}
	defer golden.Close()
	for lines := bufio.NewScanner(golden); lines.Scan(); {
		if kind, text, ok := strings.Cut(lines.Text(), " "); ok && kind != ">" && kind != "!" {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{"condition", "update", "projection"} {
			tree, err := parseAs(kind, text)
			if err != nil {
				continue
			}
			printed := tree.String()
			if len(printed) > MaxLength {
				continue // white space was added
			}
			again, err := parseAs(kind, printed)
			if err != nil {
				t.Fatalf("%s %q was printed as %q, which does not parse: %v", kind, text, printed, err)
			}
			if got := again.String(); got != printed {
				t.Fatalf("%s %q was printed as %q, and that as %q", kind, text, printed, got)
			}
		}
	})
}
