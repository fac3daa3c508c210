package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report prints a table of the functions.
func report(w io.Writer, subjects []*subject) {
	fmt.Fprintf(w, "from the start of the process to its first answer, %d starts of each\n\n", len(subjects[0].took))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "function\tmedian\tp90\tmost\tbinary\tarchive\t")
	for _, s := range subjects {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", s.name,
			milliseconds(quantile(s.took, 50)), milliseconds(quantile(s.took, 90)), milliseconds(quantile(s.took, 100)),
			megabytes(s.binary), megabytes(s.archive))
	}
	table.Flush() //nolint:errcheck // the report is all there is to lose
}

// quantile is the least time that percent of all are not over.
func quantile(all []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
