package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

func listCommand() *cobra.Command {
	var s serviceOptions
	var q client.Query
	var olderThan time.Duration
	c := &cobra.Command{
		Use:   "list",
		Short: "List the locks that are held, and those that are stale",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			now := time.Now()
			locks := []client.View{} // [] in JSON, not null
			for v, err := range cl.List(c.Context(), q) {
				if err != nil {
					return err
				}
				if olderThan == 0 || older(v, olderThan, now) {
					locks = append(locks, v)
				}
			}
			if s.json {
				return printJSON(c.OutOrStdout(), struct {
					Locks []client.View `json:"locks"`
				}{locks})
			}
			if len(locks) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), "no locks")
				return err
			}
			return printTable(c.OutOrStdout(), locks, now)
		}),
	}
	f := c.Flags()
	f.StringVar(&q.State, "state", "", "only one state: "+strings.Join(lockmodel.States(), ", "))
	f.StringVar(&q.Prefix, "prefix", "", "only workspaces whose names start so")
	f.DurationVar(&olderThan, "older-than", 0, "only locks that have been held for longer, by this machine's clock")
	s.flags(f)
	q.Page = 1000
	if err := c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(lockmodel.States(), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

// older tells whether a lock has been held for longer than d.
func older(v client.View, d time.Duration, now time.Time) bool {
	since, err := time.Parse(time.RFC3339, v.AcquiredAt)
	return err == nil && now.Sub(since) > d
}
