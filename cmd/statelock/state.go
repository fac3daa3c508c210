package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
)

func stateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Look at the versions of a workspace's Terraform state, and restore one",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
		// Or a misspelt command would be told of as one that has none of its flags.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	for _, sub := range []*cobra.Command{stateListCommand(), stateShowCommand(), stateRestoreCommand()} {
		sub.RunE = begun(sub.RunE)
		c.AddCommand(sub)
	}
	return c
}

func stateListCommand() *cobra.Command {
	var s serviceOptions
	var ws string
	c := &cobra.Command{
		Use:   "list --ws WORKSPACE",
		Short: "List the versions that are kept, the latest first",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			versions, err := cl.Versions(c.Context(), ws)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(c.OutOrStdout(), struct {
					Versions []client.Version `json:"versions"`
				}{versions})
			}
			if len(versions) == 0 {
				_, err := fmt.Fprintf(c.OutOrStdout(), "%s has no state\n", ws)
				return err
			}
			return printVersions(c.OutOrStdout(), versions, time.Now())
		}),
	}
	workspaceFlag(c, &ws)
	s.flags(c.Flags())
	return c
}

// printVersions prints versions for people.
func printVersions(w io.Writer, versions []client.Version, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "VERSION\tSERIAL\tBYTES\tAGE\tBY\tLOCK ID\t")
	for _, v := range versions {
		serial, current := "", ""
		if v.Serial != nil {
			serial = strconv.FormatInt(*v.Serial, 10)
		}
		if v.Current {
			current = "current"
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\t%s\t%s\n", v.Version, serial, v.Size, span(now.Sub(v.At)), v.By, v.LockID, current)
	}
	return t.Flush()
}

func stateShowCommand() *cobra.Command {
	var s serviceOptions
	var ws string
	var version int64
	c := &cobra.Command{
		Use:   "show --ws WORKSPACE",
		Short: "Print the state, or an earlier version of it, as it was written",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			if version < 0 || version == 0 && c.Flags().Changed("version") {
				return usageError{errors.New("--version: a number from 1, as state list shows it")}
			}
			state, err := cl.State(c.Context(), ws, version)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(state)
			return err
		}),
	}
	workspaceFlag(c, &ws)
	c.Flags().Int64Var(&version, "version", 0, "the version, as list numbers it (default: the current one)")
	s.flags(c.Flags())
	return c
}

func stateRestoreCommand() *cobra.Command {
	var s serviceOptions
	var o acquireOptions
	var version int64
	c := &cobra.Command{
		Use:   "restore --ws WORKSPACE --version N",
		Short: "Make an earlier version current again, under the lock",
		Long: `Make an earlier version current again. It becomes a new version, so that what was
current can be restored, too. A plain state gets a serial number that no version
has, so that plans which were saved before are not taken for it; one that OpenTofu
encrypted keeps its own.

The lock is acquired for it, and released. With --lock-id, a lock that is held already
is used and left held; it must not have been used to write state before.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) (err error) {
			if version < 1 {
				return usageError{errors.New("--version: a number from 1, as state list shows it")}
			}
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			// Only to spare a lock that would be of no use: the service looks again.
			if _, err := cl.State(c.Context(), o.ws, version); err != nil {
				return err
			}
			hold := client.Hold{Workspace: o.ws, LockID: o.lockID}
			if hold.LockID == "" {
				o.lease = restoreLease
				outliveReader()
				lock, err := cl.AcquireOnly(c.Context(), o.request(sayer(c.ErrOrStderr(), s.json)))
				if err != nil {
					return err
				}
				hold.LockID = lock.View().LockID
				defer func() {
					if _, failed := cl.Release(context.WithoutCancel(c.Context()), hold); failed != nil {
						err = errors.Join(err, fmt.Errorf("the lock may still be held, by lock id %s: %w", hold.LockID, failed))
					}
				}()
			}
			answer, err := cl.Restore(c.Context(), hold, version)
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(c.OutOrStdout(), answer)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "restored version %d of %s, as version %d\n", version, o.ws, answer.Version)
			return err
		}),
	}
	workspaceFlag(c, &o.ws)
	c.Flags().Int64Var(&version, "version", 0, "the version, as list numbers it (required)")
	requireFlag(c, "version")
	runnerFlag(c.Flags(), &o.runner, "who restores")
	c.Flags().StringVar(&o.lockID, "lock-id", "", "a hold to restore under, instead of a new one")
	c.Flags().DurationVar(&o.wait, "wait", 0, "for how long to wait while somebody else holds the lock, asking about every 2s")
	s.flags(c.Flags())
	return c
}

// restoreLease is much longer than a restoration takes.
const restoreLease = time.Minute
