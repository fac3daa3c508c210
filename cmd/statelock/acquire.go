package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// acquireOptions are the flags of the commands that acquire.
type acquireOptions struct {
	ws         string
	runner     string
	lockID     string
	lease      time.Duration
	wait       time.Duration
	takeLapsed bool
}

func (o *acquireOptions) flags(f *pflag.FlagSet, lease time.Duration) {
	runnerFlag(f, &o.runner, "who acquires the lock")
	f.StringVar(&o.lockID, "lock-id", "", "name of the new hold, of no other ever (default: a new UUID); where there was no answer, it is left to you to release it")
	f.DurationVar(&o.lease, "lease", lease, "for how long the lock is kept without a renewal; in acquire, 0 for none")
	f.DurationVar(&o.wait, "wait", 0, "for how long to wait while somebody else holds the lock, asking about every 2s")
	f.BoolVar(&o.takeLapsed, "take-lapsed", false, "if the holder's lease has lapsed, mark the lock stale and force-unlock it")
}

// runnerFlag adds the flag that says who somebody is.
func runnerFlag(f *pflag.FlagSet, runner *string, what string) {
	f.StringVar(runner, "runner", os.Getenv("STATELOCK_RUNNER"), what+" (STATELOCK_RUNNER; default: the CI job's page, or user@host)")
}

func (o *acquireOptions) request(say func(string, ...any)) client.Request {
	runner := o.runner
	if runner == "" {
		runner, _ = runnerName(os.Getenv)
	}
	return client.Request{
		Workspace: o.ws, Runner: runner, LockID: o.lockID, Lease: o.lease,
		Wait: o.wait, TakeLapsed: o.takeLapsed, Waiting: progress(say, o.wait),
	}
}

// progress tells what a waiter waits for: when that changes, and every 30 s.
func progress(say func(string, ...any), wait time.Duration) func(error) {
	var about string
	var last time.Time
	until := time.Now().Add(wait)
	return func(err error) {
		now := time.Now()
		text, key := err.Error(), "outage"
		if held, ok := errors.AsType[*client.HeldError](err); ok {
			text, key = describe(held.Holder, now)+" (since "+held.Holder.AcquiredAt+"; position in the queue unknown)", held.Holder.LockID+held.Holder.State
		}
		if key != about || now.Sub(last) >= 30*time.Second {
			say("waiting, at most %s more: %s", span(until.Sub(now)), text)
			about, last = key, now
		}
	}
}

func acquireCommand() *cobra.Command {
	var s serviceOptions
	var o acquireOptions
	var env bool
	c := &cobra.Command{
		Use:   "acquire --ws WORKSPACE",
		Short: "Acquire a lock and leave it held",
		Long: `Acquire a lock and leave it held, for release to free. Where it has a lease, renew
must extend it in time. To hold a lock for as long as a command runs, see run.

Where the output can't be written, nobody knows of the hold, and it is released
again, unless --lock-id has named it.`,
		Example: `  lock=$(statelock acquire --ws prod --env) || exit
  export $lock
  trap 'statelock release --ws prod' EXIT`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, err := s.connect(c)
			if err != nil {
				return err
			}
			if c.Flags().Changed("lease") && o.lease == 0 {
				o.lease = client.NoLease
			}
			outliveReader()
			lock, err := cl.AcquireOnly(c.Context(), o.request(sayer(c.ErrOrStderr(), s.json)))
			if err != nil {
				return err
			}
			err = printAcquired(c.OutOrStdout(), lock.View(), s.json, env)
			if err == nil || o.lockID != "" {
				return err
			}
			// Nobody knows of the hold, so nobody else could release it.
			if failed := lock.Release(context.WithoutCancel(c.Context())); failed != nil {
				return fmt.Errorf("%w; the lock may still be held, by lock id %s: %v", err, lock.ID(), failed) //nolint:errorlint // the first says what went wrong
			}
			return fmt.Errorf("%w; the lock was released again", err)
		}),
	}
	workspaceFlag(c, &o.ws)
	o.flags(c.Flags(), 0)
	c.Flags().BoolVar(&env, "env", false, "print STATELOCK_LOCK_ID and STATELOCK_FENCE as lines for a shell's export, $GITHUB_ENV or a dotenv file")
	s.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("env", flagJSON)
	return c
}

// printAcquired tells of a lock that was acquired.
func printAcquired(w io.Writer, v client.View, asJSON, env bool) error {
	lease := ""
	switch {
	case asJSON:
		return printJSON(w, lockmodel.Answer{OK: true, Holder: v.Owner, LockID: v.LockID, Fence: v.Fence, LeaseUntil: v.LeaseUntil, Lock: v})
	case env:
		_, err := fmt.Fprintf(w, "STATELOCK_LOCK_ID=%s\nSTATELOCK_FENCE=%d\n", v.LockID, v.Fence)
		return err
	case v.LeaseUntil != "":
		lease = ", lease until " + v.LeaseUntil
	}
	_, err := fmt.Fprintf(w, "acquired %s, lock id %s, fence %d%s\n", v.Workspace, v.LockID, v.Fence, lease)
	return err
}
