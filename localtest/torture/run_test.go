package torture

import "testing"

func TestSome(t *testing.T) {
	var total Report
	for seed := range uint64(16) {
		r, err := Run(t.Context(), Default(), seed)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s %d req %d calls ran %s checked %s", seed, weatherOf(seed).name, r.Requests, r.Calls, r.Ran, r.Checked)
		for _, v := range r.Violations {
			t.Errorf("seed %d: %s", v.Seed, v.Violation)
		}
		total.add(r)
	}
	t.Logf("%+v", total)
}
