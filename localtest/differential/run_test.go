package differential

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/engine"
)

var all = Options{Seed: 1, Cases: 300, Families: []string{"write", "query", "transact", "ttl"}}

// Two engines of one kind agree, and cases reach each kind of answer often
// enough to mean something.
func TestSameEngineAgrees(t *testing.T) {
	t.Parallel()
	report, err := Run(t.Context(), embedded(), embedded(), all)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unexplained) > 0 {
		t.Errorf("an engine disagrees with itself: %s", report)
	}
	for verdict, want := range map[string]int{
		"done": 3000, "ConditionalCheckFailedException": 40, "ValidationException": 200,
		"TransactionCanceledException": 40, "SerializationException": 1,
	} {
		if got := report.Verdicts[verdict]; got < want {
			t.Errorf("%s was the answer %d times, want at least %d", verdict, got, want)
		}
	}
}

// An engine that gets one thing wrong is found out, by a case that has little
// else in it.
func TestWrongEngineIsFoundOut(t *testing.T) {
	t.Parallel()
	right := engine.New()
	wrong := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = bytes.ReplaceAll(body, []byte("list_append("), []byte("if_not_exists("))
		r.Body = io.NopCloser(bytes.NewReader(body))
		right.ServeHTTP(w, r)
	})
	theirs := &Database{Name: "wrong", URL: "http://wrong.invalid", Client: engine.HTTPClient(wrong)}
	report, err := Run(t.Context(), embedded(), theirs, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unexplained) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range report.Unexplained {
		for _, r := range f.Case {
			// 300 bytes hold a request with one action, but not what is generated.
			text := r.String()
			if found := strings.Contains(text, "list_append("); found && f.Family == "write" && len(text) > 300 {
				t.Errorf("not made small:\n%s", text)
			}
		}
		if !strings.Contains(f.Case.String(), "list_append(") {
			t.Errorf("found something else:\n%s", f.Disagreement)
		}
	}
}

// A specimen that shows nothing is reported.
func TestStaleSpecimensAreReported(t *testing.T) {
	t.Parallel()
	theirs := embedded()
	theirs.Name = "moto"
	report, err := Run(t.Context(), embedded(), theirs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, k := range known {
		if slices.Contains(k.Engines, "moto") {
			want++
		}
	}
	if want == 0 || len(report.Stale) != want {
		t.Errorf("%d of %d stale entries reported", len(report.Stale), want)
	}
}

func TestMinimise(t *testing.T) {
	t.Parallel()
	// What is looked for: a 3, and later something from 10 upwards.
	holds := func(choices []int) bool {
		at := slices.Index(choices, 3)
		return at >= 0 && slices.ContainsFunc(choices[at:], func(c int) bool { return c >= 10 })
	}
	got := minimise([]int{9, 4, 3, 0, 7, 17, 2, 25, 6, 3, 3, 8, 11, 30, 5}, holds)
	if want := []int{3, 10}; !slices.Equal(got, want) {
		t.Errorf("minimised to %v, want %v", got, want)
	}
}

func TestCasesReadBack(t *testing.T) {
	t.Parallel()
	for n := range uint64(50) {
		c := writeCase(randomDraws(1, n))
		back, err := parseCase(c.String())
		if err != nil {
			t.Fatal(err)
		}
		if back.String() != c.String() {
			t.Errorf("%s\nreads back as\n%s", c, back)
		}
	}
}
