package explore

import (
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// The worlds that the tests explore: some seconds' worth. The proof explores
// more (Scopes).
var small = []Bounds{
	{Acquisitions: 1, Operator: 2},
	{Acquisitions: 1, Operator: 1, Late: 1},
	{Acquisitions: 1, Operator: 1, Ticks: 1},
	{Acquisitions: 1, Writes: 2},
}

func TestExplore(t *testing.T) {
	t.Parallel()
	for _, b := range small {
		r := Explore(b, lockmodel.Step)
		t.Logf("%+v: %+v", b, r)
		if r.Violation != nil {
			t.Fatal(r.Violation)
		}
	}
}

func TestProduct(t *testing.T) {
	t.Parallel()
	meetings, cells, violation := CheckProduct(lockmodel.Step)
	t.Logf("%d meetings of %d items with %d requests, in %d cells", meetings, len(Items()), len(Requests()), cells)
	if violation != nil {
		t.Fatal(violation)
	}
	steps := productByCell()
	table := lockmodel.Transitions()
	for _, o := range lockmodel.Ops() {
		for _, s := range lockmodel.Situations() {
			if asked := !lockmodel.Unasked(table[o][s]); (len(steps[cellOf{o, s}]) > 0) != asked {
				t.Errorf("%s × %s: met %d times", o, s, len(steps[cellOf{o, s}]))
			}
		}
	}
}

func TestMutants(t *testing.T) {
	t.Parallel()
	killers := map[string]int{}
	all := Mutants(small[0])
	for _, m := range all {
		killers[m.Killer]++
		if m.Killer == "" {
			t.Errorf("survives: %s", m)
		}
	}
	t.Logf("%d mutants; killed by: %v", len(all), killers)
}
