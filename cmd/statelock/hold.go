package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// envLockID names the hold in a job's environment.
const envLockID = "STATELOCK_LOCK_ID"

// holdOptions are the flags of the holder's own commands.
type holdOptions struct {
	ws     string
	lockID string
}

func (o *holdOptions) flags(c *cobra.Command) {
	workspaceFlag(c, &o.ws)
	c.Flags().StringVar(&o.lockID, "lock-id", os.Getenv(envLockID), "the hold, as acquire named it ("+envLockID+")")
}

// hold is the hold that the flags name. A holder that does not name it might
// end somebody else's.
func (o *holdOptions) hold() (client.Hold, error) {
	if o.lockID == "" {
		return client.Hold{}, usageError{errors.New("which hold? Name it by --lock-id or " + envLockID)}
	}
	return client.Hold{Workspace: o.ws, LockID: o.lockID}, nil
}

// printDone tells of a transition that was done.
func printDone(c *cobra.Command, s serviceOptions, v client.View, state lockmodel.State, done string) error {
	if s.json {
		a := lockmodel.Answer{OK: true, State: state, Lock: v}
		if state == lockmodel.Held {
			a.LockID, a.Fence, a.LeaseUntil = v.LockID, v.Fence, v.LeaseUntil
		}
		return printJSON(c.OutOrStdout(), a)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s %s\n", done, v.Workspace)
	return err
}
