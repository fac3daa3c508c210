package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
)

func statusCommand() *cobra.Command {
	var s serviceOptions
	var ws string
	c := &cobra.Command{
		Use:   "status --ws WORKSPACE",
		Short: "Show a lock",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			v, err := cl.Status(c.Context(), ws)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(c.OutOrStdout(), v)
			}
			return printStatus(c.OutOrStdout(), v, time.Now())
		}),
	}
	workspaceFlag(c, &ws)
	s.flags(c.Flags())
	return c
}

// printStatus prints all there is to know of a lock, for people.
func printStatus(w io.Writer, v client.View, now time.Time) error {
	_, err := fmt.Fprintf(w, "%s is %s\n", v.Workspace, describe(v, now))
	for _, line := range []struct{ name, value string }{
		{"owner", v.Owner}, {"principal", v.Principal}, {"lock id", v.LockID}, {"acquired", v.AcquiredAt}, {"stale", v.StaleAt}, {"by", v.By}, {"reason", v.Reason}, {"lease until", v.LeaseUntil},
	} {
		if line.value != "" && err == nil {
			_, err = fmt.Fprintf(w, "  %-11s  %s\n", line.name, line.value)
		}
	}
	if v.Fence > 0 && err == nil {
		_, err = fmt.Fprintf(w, "  %-11s  %d\n", "fence", v.Fence)
	}
	return err
}
