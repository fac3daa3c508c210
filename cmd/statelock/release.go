package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// releaseOptions are the flags of release.
type releaseOptions struct {
	service serviceOptions
	hold    holdOptions
	ifMine  bool
	runner  string
}

func releaseCommand() *cobra.Command {
	var o releaseOptions
	c := &cobra.Command{
		Use:   "release --ws WORKSPACE",
		Short: "Release a lock that this job holds",
		Long: `Release a lock that this job holds.

--if-mine is for what runs after a job, however it ended: it releases this job's
lock, never another's, and is content (exit code 0) where there is none. Which hold
is this job's is told by its lock id, or else by the runner name that acquire and
run give in CI: also where STATELOCK_LOCK_ID is not the holder's, for it may be
that of another workspace. A name such as user@host stands for too many to be taken.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error { return o.release(c) }),
	}
	o.hold.flags(c)
	c.Flags().BoolVar(&o.ifMine, "if-mine", false, "release this job's lock if it has one")
	runnerFlag(c.Flags(), &o.runner, "with --if-mine: this job's name")
	o.service.flags(c.Flags())
	return c
}

func (o releaseOptions) release(c *cobra.Command) error {
	cl, err := o.service.connect(c)
	if err != nil {
		return err
	}
	if o.ifMine {
		return o.releaseMine(c, cl)
	}
	h, err := o.hold.hold()
	if err != nil {
		return err
	}
	return o.free(c, cl, h)
}

func (o releaseOptions) free(c *cobra.Command, cl *client.Client, h client.Hold) error {
	v, err := cl.Release(c.Context(), h)
	if err != nil {
		return err
	}
	return printDone(c, o.service, v, lockmodel.Unlocked, "released")
}

// releaseMine releases the hold that is this job's, if there is one.
func (o releaseOptions) releaseMine(c *cobra.Command, cl *client.Client) error {
	h, v, err := o.mine(c.Context(), cl)
	if err != nil {
		return err
	}
	if h.LockID != "" {
		err := o.free(c, cl, h)
		var held *client.HeldError
		var refused *client.RefusedError
		switch {
		case errors.As(err, &held) && held.Code == lockmodel.CodeNotHolder:
			v = held.Holder
			if _, job := o.job(); job && o.hold.lockID != "" && !c.Flags().Changed("lock-id") {
				o.hold.lockID = "" // the environment's may be another workspace's
				return o.releaseMine(c, cl)
			}
		case errors.As(err, &refused) && refused.Code == lockmodel.CodeNotHeld:
			v = refused.Lock
		default:
			return err
		}
	}
	if o.service.json {
		return printJSON(c.OutOrStdout(), lockmodel.Answer{OK: true, State: v.State, Lock: v})
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "nothing of this job's to release: %s is %s\n", o.hold.ws, v.State)
	return err
}

// job is this job's name, and whether it is no other's as well.
func (o releaseOptions) job() (name string, job bool) {
	if o.runner != "" {
		return o.runner, true
	}
	return runnerName(os.Getenv)
}

// mine finds the hold of this job: by its id, else by its name. The view is of
// the lock where it isn't this job's.
func (o releaseOptions) mine(ctx context.Context, cl *client.Client) (client.Hold, client.View, error) {
	if o.hold.lockID != "" {
		return client.Hold{Workspace: o.hold.ws, LockID: o.hold.lockID}, client.View{}, nil
	}
	name, job := o.job()
	if !job {
		return client.Hold{}, client.View{}, usageError{errors.New("which hold is this job's? Outside of CI name it by --lock-id or " + envLockID + ", or the job by --runner")}
	}
	v, err := cl.Status(ctx, o.hold.ws)
	if err != nil || v.Owner != name {
		return client.Hold{}, v, err
	}
	return client.Hold{Workspace: o.hold.ws, LockID: v.LockID, Runner: name}, v, nil
}
