// Command prove runs the checks that the lock's claim rests on, and prints what
// was checked: the explorer over all its scopes, every one-cell mutant of the
// transition table, and the agreement of the embedded DynamoDB engine with the
// table. It ends with 1 if anything does not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/localtest/agreement"
	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
	"github.com/statelock/statelock/pkg/lockmodel/explore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove: "+err.Error())
		os.Exit(1)
	}
}

func command() *cobra.Command {
	return &cobra.Command{
		Use:   "prove",
		Short: "Check the lock exhaustively, within bounds, and print what was checked",
		Long: `Check the lock exhaustively, within bounds, and print what was checked.

docs/guarantees.md says what follows from it, and what is assumed.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			out := c.OutOrStdout()
			return errors.Join(exploreAll(out), mutate(out), product(out), agree(c.Context(), out))
		},
	}
}

// exploreAll explores the scopes, as many at a time as there are processors.
func exploreAll(out io.Writer) error {
	fmt.Fprintln(out, "EXPLORER  every interleaving of 3 clients, an operator and the sweeper, within each scope")
	scopes := explore.Scopes()
	reports := make([]explore.Report, len(scopes))
	start := time.Now()
	var all sync.WaitGroup
	turns := make(chan struct{}, min(2, runtime.NumCPU())) // each takes a gigabyte or two
	for n, scope := range scopes {
		all.Go(func() {
			turns <- struct{}{}
			r := explore.Explore(scope, lockmodel.Step)
			reports[n] = r
			fmt.Fprintf(out, "  %s:\n      %d worlds, %d events, depth %d, %s\n", scope, r.Worlds, r.Events, r.Depth, r.Took.Round(100*time.Millisecond))
			<-turns
		})
	}
	all.Wait()
	var errs []error
	worlds := 0
	for _, r := range reports {
		worlds += r.Worlds
		if r.Violation != nil {
			errs = append(errs, fmt.Errorf("explorer: %s", r.Violation))
		}
	}
	fmt.Fprintf(out, "  %d worlds in %s; violations: %d\n\n", worlds, time.Since(start).Round(100*time.Millisecond), len(errs))
	return errors.Join(errs...)
}

// mutate breaks the table one cell at a time.
func mutate(out io.Writer) error {
	start := time.Now()
	mutants := explore.Mutants(explore.Scopes()[0])
	killers := map[string]int{}
	var survivors []string
	for _, m := range mutants {
		if m.Killer == "" {
			survivors = append(survivors, m.String())
			continue
		}
		killers[m.Killer]++
	}
	fmt.Fprintf(out, "MUTANTS  of the table, one cell each\n")
	for _, name := range slices.Sorted(maps.Keys(killers)) {
		fmt.Fprintf(out, "  %5d killed by %q\n", killers[name], name)
	}
	fmt.Fprintf(out, "  %d mutants in %s; survivors: %d\n\n", len(mutants), time.Since(start).Round(100*time.Millisecond), len(survivors))
	if len(survivors) > 0 {
		return fmt.Errorf("mutants survive: %s", strings.Join(survivors, "; "))
	}
	return nil
}

// product lets every request meet every stored item.
func product(out io.Writer) error {
	meetings, cells, violation := explore.CheckProduct(lockmodel.Step)
	fmt.Fprintf(out, "PROPERTIES  %d of every step: %d meetings of %d stored items with %d requests, in all %d cells\n\n",
		len(explore.Properties()), meetings, len(explore.Items()), len(explore.Requests()), cells)
	if violation != nil {
		return fmt.Errorf("properties: %s", violation)
	}
	return nil
}

// agree compares the embedded engine with the table.
func agree(ctx context.Context, out io.Writer) (err error) {
	start := time.Now()
	e := engine.New()
	defer func() { err = errors.Join(err, e.Close()) }()
	const table = "agreement"
	if err := ddbstore.CreateTable(ctx, e.Client(), table); err != nil {
		return err
	}
	r, err := agreement.Check(ctx, e.Client(), table, 1)
	if err != nil {
		return fmt.Errorf("agreement: %w", err)
	}
	fmt.Fprintf(out, "AGREEMENT  of the embedded engine with the table: %d meetings, %d written, in %s; disagreements: %d\n",
		r.Meetings, r.Written, time.Since(start).Round(100*time.Millisecond), len(r.Disagreements))
	if len(r.Disagreements) > 0 {
		return fmt.Errorf("agreement: %s", strings.Join(r.Disagreements, "\n"))
	}
	return nil
}
