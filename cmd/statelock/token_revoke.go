package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

func tokenRevokeCommand() *cobra.Command {
	var o tokenOptions
	c := &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a token",
		Long: `Revoke a token. Nothing more can be begun with it, from the next request on.

A hold that was begun with it may still be finished: its state be written, and its
lock released. Otherwise the state of an apply under way would be lost. To end such
a hold, take it away like any other: statelock mark-stale, then statelock
force-unlock. From then on nothing can be done with the token at all.`,
		Args: cobra.ExactArgs(1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return untilSignal(func(c *cobra.Command) error { return o.revoke(c, args[0]) })(c, args)
	}
	o.flags(c)
	return c
}

func (o tokenOptions) revoke(c *cobra.Command, id string) error {
	if of, ok := auth.TokenID(id); ok { // somebody has the secret rather than the id
		id = of
	}
	if err := auth.CheckTokenID(id); err != nil {
		return usageError{err}
	}
	now := time.Now()
	var revoked auth.Token
	var holds []string
	err := o.on(c.Context(), func(db database, tokens *ddbstore.Tokens) (err error) {
		if revoked, err = tokens.Revoke(c.Context(), id, now); err == nil {
			holds, err = holdsOf(c.Context(), ddbstore.New(db.client, ddbstore.Options{Table: o.table}), "token:"+id)
		}
		return err
	})
	if errors.Is(err, auth.ErrNoToken) {
		return exitError{exitRefused, err}
	}
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(c.OutOrStdout(), struct {
			tokenView
			Holds []string `json:"holds"`
		}{viewOf(revoked, now), holds})
	}
	held := "no lock"
	if len(holds) > 0 {
		held = strings.Join(holds, ", ")
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), `revoked %s (%s) at %s
Nothing more can be begun with it. A hold that was begun with it may still be
finished: its state be written, and its lock released. To end one at once:
statelock mark-stale --ws W, then statelock force-unlock --ws W
held with it now: %s
`, id, revoked.Name, stamp(revoked.RevokedAt), held)
	return err
}

// holdsOf finds the workspaces that a principal holds.
func holdsOf(ctx context.Context, s *ddbstore.Store, principal string) ([]string, error) {
	holds := []string{} // [] in JSON, not null
	q := ddbstore.Query{Limit: ddbstore.MaxPage}
	for {
		page, err := s.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, l := range page.Locks {
			if l.Principal == principal {
				holds = append(holds, l.Workspace)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return holds, nil
		}
	}
}
