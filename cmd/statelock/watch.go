package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	service  serviceOptions
	ws       string
	prefix   string
	interval time.Duration
}

func watchCommand() *cobra.Command {
	var o watchOptions
	c := &cobra.Command{
		Use:   "watch [--ws WORKSPACE | --prefix PREFIX]",
		Short: "Print a line for each change of a lock, or of many",
		Long: `Print a line for each change of a lock, or of many, until interrupted. Changes are
seen by looking again and again: what comes and goes between two looks is missed.
Renewals are no changes.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error { return o.watch(c) }),
	}
	f := c.Flags()
	f.StringVar(&o.ws, "ws", "", "workspace (default: all)")
	f.StringVar(&o.prefix, "prefix", "", "only workspaces whose names start so")
	f.DurationVar(&o.interval, "interval", 2*time.Second, "how often to look")
	o.service.flags(f)
	c.MarkFlagsMutuallyExclusive("ws", "prefix")
	return c
}

func (o watchOptions) watch(c *cobra.Command) error {
	if o.interval < 100*time.Millisecond {
		return usageError{errors.New("--interval: 100ms at least")}
	}
	cl, err := o.service.connect(c)
	if err != nil {
		return err
	}
	ctx, say := c.Context(), sayer(c.ErrOrStderr(), o.service.json)
	seen, outage := map[string]client.View{}, false
	for {
		now, err := o.look(ctx, cl)
		_, unreachable := errors.AsType[*client.UnreachableError](err)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // told to end
		}
		switch {
		case err != nil && !unreachable:
			return err
		case err != nil && !outage:
			say("%v", err)
		case err == nil:
			if err := o.print(c, seen, now); err != nil {
				return err
			}
			seen = now
		}
		outage = err != nil
		select {
		case <-time.After(o.interval):
		case <-ctx.Done():
			return nil
		}
	}
}

// look reads the locks that are watched.
func (o watchOptions) look(ctx context.Context, cl *client.Client) (map[string]client.View, error) {
	now := map[string]client.View{}
	if o.ws != "" {
		v, err := cl.Status(ctx, o.ws)
		now[o.ws] = v
		return now, err
	}
	for v, err := range cl.List(ctx, client.Query{Prefix: o.prefix, Page: 1000}) {
		if err != nil {
			return nil, err
		}
		now[v.Workspace] = v
	}
	return now, nil
}

// print prints what has changed. A lock that is no longer listed is unlocked.
func (o watchOptions) print(c *cobra.Command, before, now map[string]client.View) error {
	for ws, v := range before {
		if _, listed := now[ws]; !listed {
			now[ws] = client.View{Workspace: ws, State: lockmodel.Unlocked, Fence: v.Fence}
		}
	}
	at := time.Now()
	for _, ws := range slices.Sorted(maps.Keys(now)) {
		was, is := before[ws], now[ws]
		if was.State == is.State && was.LockID == is.LockID && was.Torn == is.Torn {
			continue
		}
		var err error
		if o.service.json {
			err = printJSON(c.OutOrStdout(), is)
		} else {
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s %s is %s\n", at.Format(time.TimeOnly), ws, describe(is, at))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
