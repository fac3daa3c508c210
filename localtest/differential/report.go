package differential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Options say what to generate.
type Options struct {
	Seed uint64
	// Cases is how many there are of each family.
	Cases int
	// Families are those to generate, by name.
	Families []string
}

// Report tells what was compared.
type Report struct {
	// Cases counts what was generated, by family.
	Cases map[string]int
	// Verdicts counts our answers to what was sent to both.
	Verdicts map[string]int
	// Explained counts the disagreements that each known difference explains,
	// by its place in the list.
	Explained map[int]int
	// Stale are known differences whose specimen shows none any more.
	Stale []string
	// Unexplained has one disagreement of each other kind, minimised.
	Unexplained []Found
}

// Found is a kind of disagreement that no known difference explains.
type Found struct {
	Family string
	Number uint64 // of the case it was first seen in
	Times  int
	*Disagreement
}

// maxFound is how many kinds are minimised; the others are only counted.
const maxFound = 40

// families are the kinds of cases.
var families = []family{
	{"write", writeCase},
	{"query", queryCase},
	{"transact", transactCase},
	{"ttl", ttlCase},
}

// Run sends generated cases to both databases, which have no tables yet, and
// reports how they disagree. An error is that of a connection.
func Run(ctx context.Context, ours, theirs *Database, o Options) (*Report, error) {
	r := runner{
		ours: ours, theirs: theirs, found: map[string]int{},
		report: &Report{Cases: map[string]int{}, Verdicts: map[string]int{}, Explained: map[int]int{}},
	}
	if d, err := r.run(ctx, createTables()); err != nil {
		return nil, err
	} else if d != nil {
		return nil, fmt.Errorf("they have different tables to begin with: %s", d)
	}
	if err := r.specimens(ctx); err != nil {
		return nil, err
	}
	for _, f := range families {
		if !slices.Contains(o.Families, f.name) {
			continue
		}
		for n := range uint64(o.Cases) {
			if err := r.generated(ctx, f, o.Seed, n); err != nil {
				return nil, fmt.Errorf("%s case %d of seed %d: %w", f.name, n, o.Seed, err)
			}
		}
		r.report.Cases[f.name] = o.Cases
	}
	return r.report, nil
}

type runner struct {
	ours, theirs *Database
	report       *Report
	found        map[string]int // places in Unexplained, by kind
}

func (r *runner) run(ctx context.Context, c Case) (*Disagreement, error) {
	return run(ctx, r.ours, r.theirs, c, r.report.Verdicts)
}

// generated sends one case.
func (r *runner) generated(ctx context.Context, f family, seed, number uint64) error {
	choices := randomDraws(seed, number)
	d, err := r.run(ctx, f.make(choices))
	if d == nil || err != nil {
		return err
	}
	if at := r.explained(d); at >= 0 {
		r.report.Explained[at]++
		return nil
	}
	if at, ok := r.found[d.kind()]; ok {
		r.report.Unexplained[at].Times++
		return nil
	}
	kind := d.kind()
	if len(r.report.Unexplained) < maxFound {
		if d, err = r.smallest(ctx, f, choices.taken, d); err != nil {
			return err
		}
	}
	r.found[kind] = len(r.report.Unexplained)
	r.report.Unexplained = append(r.report.Unexplained, Found{f.name, number, 1, d})
	return nil
}

// smallest minimises a case that shows d.
func (r *runner) smallest(ctx context.Context, f family, choices []int, d *Disagreement) (*Disagreement, error) {
	var failed error
	minimise(choices, func(smaller []int) bool {
		if failed != nil {
			return false
		}
		other, err := run(ctx, r.ours, r.theirs, f.make(&draws{given: smaller}), map[string]int{})
		failed = err
		// Not one that is known: it would hide what is not.
		if other == nil || other.kind() != d.kind() || r.explained(other) >= 0 {
			return false
		}
		d = other
		return true
	})
	return d, failed
}

// explained is the place of the known difference that explains d, or -1.
func (r *runner) explained(d *Disagreement) int {
	return slices.IndexFunc(known, func(k Known) bool { return k.explains(d) })
}

// specimens sees to it that every known difference still shows.
func (r *runner) specimens(ctx context.Context) error {
	var failed []error
	for at, k := range known {
		if !slices.Contains(k.Engines, r.theirs.Name) {
			continue
		}
		c, err := parseCase(k.Specimen)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		d, err := r.run(ctx, c)
		if err != nil {
			return err
		}
		if d == nil || r.explained(d) != at {
			r.report.Stale = append(r.report.Stale, fmt.Sprintf("%s: %s: the specimen shows %v", r.theirs.Name, k.Why, d))
		}
	}
	return errors.Join(failed...)
}

// Requests is how many requests both databases got, without those that went
// into minimising.
func (r *Report) Requests() int {
	n := 0
	for _, times := range r.Verdicts {
		n += times
	}
	return n
}

// String is a summary.
func (r *Report) String() string {
	var b strings.Builder
	for _, f := range families {
		if n := r.Cases[f.name]; n > 0 {
			fmt.Fprintf(&b, "%d %s cases, ", n, f.name)
		}
	}
	fmt.Fprintf(&b, "%d requests", r.Requests())
	for _, verdict := range slices.Sorted(maps.Keys(r.Verdicts)) {
		fmt.Fprintf(&b, "\n%6d %s", r.Verdicts[verdict], verdict)
	}
	for at, k := range known {
		if n := r.Explained[at]; n > 0 {
			fmt.Fprintf(&b, "\n%6d disagree, known: %s", n, k.Why)
		}
	}
	for _, f := range r.Unexplained {
		fmt.Fprintf(&b, "\n%6d disagree, NOT KNOWN: %s", f.Times, f.kind())
	}
	return b.String()
}
