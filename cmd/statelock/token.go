package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/localtest/engine/kv"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/ddbstore"
)

func tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke tokens for Terraform and OpenTofu",
		Long: `Make, list and revoke tokens: what Terraform and OpenTofu bring as the password of
basic auth, and others as a bearer token.

These commands work on the table itself, not through the service. Whoever may
write to the table is who may make tokens. Without --endpoint or --aws the table
is that of statelock serve in this folder.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		// Or a misspelt command would be told of as one that has none of its flags.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	for _, sub := range []*cobra.Command{tokenCreateCommand(), tokenListCommand(), tokenRevokeCommand()} {
		sub.RunE = begun(sub.RunE)
		c.AddCommand(sub)
	}
	return c
}

// tokenOptions are the flags of all commands about tokens.
type tokenOptions struct {
	table    string
	database databaseOptions
	json     bool
}

func (o *tokenOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.table, "table", "statelock", "name of the table")
	f.StringVar(&o.database.data, "data", ".statelock", "folder of the embedded engine's file")
	f.StringVar(&o.database.endpoint, "endpoint", "", "URL of a DynamoDB-compatible server to use instead")
	f.BoolVar(&o.database.aws, "aws", false, "use the DynamoDB that the AWS SDK's settings name instead")
	f.BoolVar(&o.json, flagJSON, false, "print JSON")
	c.MarkFlagsMutuallyExclusive("data", "endpoint", "aws")
	if err := c.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
}

// on opens the table for something to be done with it, and closes it.
func (o tokenOptions) on(ctx context.Context, do func(database, *ddbstore.Tokens) error) (err error) {
	if o.database.embedded() && !o.database.createTable {
		file := filepath.Join(o.database.data, "locks.db")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--data %s: there is no table; is it another folder, or do you mean --aws or --endpoint?", o.database.data)
		}
	}
	db, err := o.database.open(ctx, o.table)
	switch {
	case errors.Is(err, kv.ErrInUse):
		return fmt.Errorf("%w, most likely a running statelock serve: stop it, do this again, and start it anew", err)
	case err != nil && !o.database.embedded():
		return &client.UnreachableError{Op: "open the table", Err: err}
	case err != nil:
		return err
	}
	defer func() { err = cmp.Or(err, db.close()) }()
	return do(db, &ddbstore.Tokens{Client: db.client, Table: o.table})
}

// tokenView is a token for people and scripts.
type tokenView struct {
	ID         string            `json:"id"`
	Secret     string            `json:"token,omitempty"` // only when it is made
	Name       string            `json:"name"`
	State      string            `json:"state"` // valid, expired or revoked
	Workspaces []auth.Pattern    `json:"workspaces"`
	Allow      []auth.Permission `json:"allow"`
	CreatedAt  string            `json:"created_at"`
	CreatedBy  string            `json:"created_by,omitempty"`
	ExpiresAt  string            `json:"expires_at,omitempty"`
	RevokedAt  string            `json:"revoked_at,omitempty"`
}

func viewOf(t auth.Token, now time.Time) tokenView {
	v := tokenView{
		ID: t.ID, Name: t.Name, State: "valid", Workspaces: t.Workspaces, Allow: t.Permissions,
		CreatedAt: stamp(t.CreatedAt), CreatedBy: t.CreatedBy, ExpiresAt: stamp(t.ExpiresAt), RevokedAt: stamp(t.RevokedAt),
	}
	switch {
	case v.RevokedAt != "":
		v.State = "revoked"
	case t.Lapse(now) != "":
		v.State = "expired"
	}
	return v
}

// stamp spells a time, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
