package main

import (
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for n := 10; n > 0; n-- {
		all = append(all, time.Duration(n))
	}
	for percent, want := range map[int]time.Duration{0: 1, 50: 5, 90: 9, 91: 10, 100: 10} {
		if got := quantile(all, percent); got != want {
			t.Errorf("%d%%: %d, want %d", percent, got, want)
		}
	}
	if got := quantile(all[:1], 50); got != 10 {
		t.Errorf("of one: %d", got)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report(&out, []*subject{{name: "hello", took: []time.Duration{12_340 * time.Microsecond}, sizes: sizes{binary: 5_210_000, archive: 1_960_000}}})
	if got := strings.Join(strings.Fields(out.String()), " "); !strings.HasSuffix(got, "hello 12.3 ms 12.3 ms 12.3 ms 5.2 MB 2.0 MB") || !strings.Contains(got, "1 starts") {
		t.Error(got)
	}
}
