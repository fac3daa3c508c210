package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
)

func historyCommand() *cobra.Command {
	var s serviceOptions
	var ws string
	var most int
	c := &cobra.Command{
		Use:   "history --ws WORKSPACE",
		Short: "Show who did what to a lock, and when",
		Long: `Show who did what to a lock, and when, the latest first.

Renewals leave no record. A deployment keeps its records for some time (90 days
where it does not say).`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			if most < 0 {
				return usageError{errors.New("--limit: must not be negative; 0 for all")}
			}
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			events := []client.Event{} // [] in JSON, not null
			for e, err := range cl.History(c.Context(), ws) {
				if err != nil {
					return err
				}
				events = append(events, e)
				if len(events) == most {
					break
				}
			}
			if s.json {
				return printJSON(c.OutOrStdout(), struct {
					Events []client.Event `json:"events"`
				}{events})
			}
			if len(events) == 0 {
				_, err := fmt.Fprintf(c.OutOrStdout(), "no record of %s\n", ws)
				return err
			}
			return printHistory(c.OutOrStdout(), events)
		}),
	}
	workspaceFlag(c, &ws)
	c.Flags().IntVar(&most, "limit", 20, "at most so many records; 0 for all")
	s.flags(c.Flags())
	return c
}

// printHistory prints events for people.
func printHistory(w io.Writer, events []client.Event) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TIME\tWHAT\tFENCE\tOWNER\tBY\tREASON")
	for _, e := range events {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", e.At.Format("2006-01-02T15:04:05Z"), e.Op, e.Fence, e.Owner, e.By, e.Reason)
	}
	return t.Flush()
}
