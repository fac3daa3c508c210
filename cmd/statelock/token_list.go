package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

func tokenListCommand() *cobra.Command {
	var o tokenOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tokens, the oldest first",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			var all []auth.Token
			err := o.on(c.Context(), func(_ database, tokens *ddbstore.Tokens) (err error) {
				all, err = tokens.List(c.Context())
				return err
			})
			if err != nil {
				return err
			}
			slices.SortStableFunc(all, func(a, b auth.Token) int { return a.CreatedAt.Compare(b.CreatedAt) })
			now := time.Now()
			views := []tokenView{} // [] in JSON, not null
			for _, t := range all {
				views = append(views, viewOf(t, now))
			}
			if o.json {
				return printJSON(c.OutOrStdout(), struct {
					Tokens []tokenView `json:"tokens"`
				}{views})
			}
			if len(views) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), "no tokens")
				return err
			}
			return printTokens(c.OutOrStdout(), views, now)
		}),
	}
	o.flags(c)
	return c
}

// printTokens prints tokens for people.
func printTokens(w io.Writer, tokens []tokenView, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tSTATE\tAGE\tEXPIRES\tWORKSPACES\tALLOWS\tBY")
	for _, v := range tokens {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.ID, v.Name, v.State, age(v.CreatedAt, now), orDash(v.ExpiresAt),
			join(v.Workspaces, ","), join(v.Allow, ","), orDash(v.CreatedBy))
	}
	return t.Flush()
}
