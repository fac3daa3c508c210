package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"

	"github.com/google/go-cmp/cmp"
)

// Disagreement is two answers to one request of a case.
type Disagreement struct {
	Case    Case // up to the request
	Request Request
	// Part is what differs: "verdict", or a part of the answers such as "Item".
	Part         string
	Ours, Theirs Answer
	Before       Answer    // both gave it to the request before, if there is one
	Names        [2]string // of the databases
}

// String is for people, with the case to send again.
func (d *Disagreement) String() string {
	s := fmt.Sprintf("%s\n%s: %s\n%s: %s", d.Case, d.Names[0], d.Ours, d.Names[1], d.Theirs)
	if d.Part != "verdict" {
		s += fmt.Sprintf("\n%s (-%s +%s):\n%s", d.Part, d.Names[0], d.Names[1], cmp.Diff(d.Ours.Body[d.Part], d.Theirs.Body[d.Part]))
	}
	return s
}

// variable is what differs in messages about the same mistake.
var variable = regexp.MustCompile(`[:#][A-Za-z]\w*|\[.*?\]|\{.*?\}|"[^"]*"|\d+|;.*$`)

// kind is the same for disagreements that most likely have one cause.
func (d *Disagreement) kind() string {
	skeleton := func(a Answer) string { return variable.ReplaceAllString(a.String(), "…") }
	return fmt.Sprintf("%s, %s: %s / %s", d.Request.Operation, d.Part, skeleton(d.Ours), skeleton(d.Theirs))
}

// maxPages bounds how long a read is followed; no case has as many items.
const maxPages = 20

// run sends a case to both databases and returns the first disagreement, nil if
// there is none. It sends what follows it nevertheless, for that is how cases
// clean up. It counts our answers by verdict.
func run(ctx context.Context, ours, theirs *Database, c Case, verdicts map[string]int) (*Disagreement, error) {
	var first *Disagreement
	var before Answer
	for i, r := range c {
		for range maxPages {
			a, err := ours.send(ctx, r.Operation, r.Body)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", ours.Name, r, err)
			}
			b, err := theirs.send(ctx, r.Operation, r.Body)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", theirs.Name, r, err)
			}
			if part := differs(r, a, b); part != "" && first == nil {
				so := append(slices.Clone(c[:i]), r)
				first = &Disagreement{
					Case: so, Request: r, Part: part, Ours: a, Theirs: b, Before: before,
					Names: [2]string{ours.Name, theirs.Name},
				}
			}
			before = a
			verdicts[a.Verdict]++
			next, more := a.Body["LastEvaluatedKey"]
			if !r.Pages || !more || first != nil {
				break
			}
			r.Body = maps.Clone(r.Body)
			r.Body["ExclusiveStartKey"] = next
		}
	}
	return first, nil
}

// differs names what differs in two answers to r, "" if nothing does.
func differs(r Request, a, b Answer) string {
	if a.Verdict != b.Verdict {
		return "verdict"
	}
	if r.Unordered {
		inOrder(a.Body["Items"])
		inOrder(b.Body["Items"])
	}
	names := maps.Clone(a.Body)
	maps.Copy(names, b.Body)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !cmp.Equal(a.Body[name], b.Body[name]) {
			return name
		}
	}
	return ""
}

func inOrder(items any) {
	list, ok := items.([]any)
	if !ok {
		return
	}
	text := func(v any) string {
		t, _ := json.Marshal(v) // it came out of JSON
		return string(t)
	}
	sort.Slice(list, func(i, j int) bool { return text(list[i]) < text(list[j]) })
}
