package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// staleOptions are the flags of the two commands that take a lock away.
type staleOptions struct {
	service serviceOptions
	ws      string
	lockID  string
	reason  string
	yes     bool
}

func (o *staleOptions) flags(c *cobra.Command) {
	workspaceFlag(c, &o.ws)
	c.Flags().StringVar(&o.lockID, "lock-id", "", "the hold that is meant (default: the one there is now)")
	c.Flags().StringVar(&o.reason, "reason", "", "why, for the record")
	o.service.flags(c.Flags())
}

// look reads the lock, and gives the hold that is meant: the one that is shown,
// so that none that comes after it can be hit. Where there is none, free is the
// error, and nothing must be sent: there might be one by then.
func (o *staleOptions) look(c *cobra.Command, free client.RefusedError) (*client.Client, client.Hold, client.View, error) {
	cl, err := o.service.connect(c)
	if err != nil {
		return nil, client.Hold{}, client.View{}, err
	}
	v, err := cl.Status(c.Context(), o.ws)
	h := client.Hold{Workspace: o.ws, LockID: v.LockID}
	if o.lockID != "" {
		h.LockID = o.lockID
	}
	if err == nil && h.LockID == "" && v.State == lockmodel.Unlocked {
		free.Lock = v
		err = &free
	}
	return cl, h, v, err
}

func markStaleCommand() *cobra.Command {
	var o staleOptions
	c := &cobra.Command{
		Use:   "mark-stale --ws WORKSPACE",
		Short: "Record the suspicion that a lock's holder is gone",
		Long: `Record the suspicion that a lock's holder is gone. Nothing is freed by it; force-unlock
does that. While the holder's lease is live this is refused.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			cl, h, _, err := o.look(c, client.RefusedError{Op: "mark-stale", Code: lockmodel.CodeNotHeld, Reason: o.ws + " is unlocked: nobody holds it"})
			if err != nil {
				return err
			}
			v, err := cl.MarkStale(c.Context(), h, o.reason)
			if err != nil {
				return err
			}
			return printDone(c, o.service, v, lockmodel.Stale, "marked stale:")
		}),
	}
	o.flags(c)
	return c
}

func forceUnlockCommand() *cobra.Command {
	var o staleOptions
	c := &cobra.Command{
		Use:   "force-unlock --ws WORKSPACE",
		Short: "Free a stale lock",
		Long: `Free a stale lock. Shows who holds it, and asks for the workspace's name before it
goes on. The hold that was shown is the only one that can be freed.

In a script: --yes --reason "…".`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error { return o.forceUnlock(c) }),
	}
	o.flags(c)
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask; needs --reason")
	return c
}

func (o staleOptions) forceUnlock(c *cobra.Command) error {
	if o.yes && o.reason == "" {
		return usageError{errors.New("--yes needs --reason: say why, for whoever asks later")}
	}
	cl, h, v, err := o.look(c, client.RefusedError{Op: "force-unlock", Code: lockmodel.CodeNotStale, Reason: o.ws + " is unlocked: there is nothing to free"})
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.ask(c, v); err != nil {
			return err
		}
	}
	v, err = cl.ForceUnlock(c.Context(), h, o.reason)
	if err != nil {
		return err
	}
	return printDone(c, o.service, v, lockmodel.Unlocked, "unlocked")
}

// ask shows the holder and wants the workspace's name. There is nothing to ask
// where the lock isn't stale, and nothing is sent: it might be stale by then.
func (o staleOptions) ask(c *cobra.Command, v client.View) error {
	const only = "force-unlock only from stale — a live holder is never bulldozed"
	switch v.State {
	case lockmodel.Held:
		return &client.HeldError{Op: "force-unlock", Code: lockmodel.CodeNotStale, Reason: only + "; " + o.ws + " is " + describe(v, time.Now()), Holder: v}
	case lockmodel.Stale:
	default:
		return &client.RefusedError{Op: "force-unlock", Code: lockmodel.CodeNotStale, Reason: only + "; " + o.ws + " is " + describe(v, time.Now()), Lock: v}
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s is %s\n  principal %s\n  lock id   %s\n", o.ws, describe(v, time.Now()), v.Principal, v.LockID)
	fmt.Fprintf(c.ErrOrStderr(), "If this holder is still at work, freeing its lock lets a second one in beside it.\nType the workspace's name to free it: ")
	line := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(c.InOrStdin()).ReadString('\n')
		line <- strings.TrimSpace(answer)
	}()
	select {
	case answer := <-line:
		if answer != o.ws {
			return exitError{exitFailed, errors.New("not confirmed; nothing was done (in a script: --yes --reason)")}
		}
		return nil
	case <-c.Context().Done():
		return c.Context().Err()
	}
}
