package expr

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// parseAs parses text as the kind of expression named.
func parseAs(kind, text string) (fmt.Stringer, error) {
	switch kind {
	case "condition":
		c, err := ParseCondition(text)
		if err != nil {
			return nil, err
		}
		return c.(fmt.Stringer), nil
	case "update":
		return ParseUpdate(text)
	case "projection":
		return ParseProjection(text)
	}
	return nil, fmt.Errorf("no such kind of expression: %q", kind)
}

// The golden file has blocks of two lines: what is parsed, and after an arrow
// how it prints, or after an exclamation mark what the error says.
func TestParseGolden(t *testing.T) {
	t.Parallel()
	const file = "testdata/parse.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(want)), "\n\n") {
		input, _, _ := strings.Cut(block, "\n")
		kind, text, _ := strings.Cut(input, " ")
		fmt.Fprintln(&got, input)
		if tree, err := parseAs(kind, text); err != nil {
			fmt.Fprintf(&got, "! %v\n\n", err)
		} else {
			fmt.Fprintf(&got, "> %v\n\n", tree)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	gotLines, wantLines := strings.Split(strings.TrimSpace(got.String()), "\n"), strings.Split(strings.TrimSpace(string(want)), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		switch {
		case i >= len(gotLines) || i >= len(wantLines):
			t.Fatalf("%s has %d lines, want %d; -update rewrites it", file, len(wantLines), len(gotLines))
		case gotLines[i] != wantLines[i]:
			t.Errorf("%s:%d: got  %s\n\twant %s", file, i+1, gotLines[i], wantLines[i])
		}
	}
}
