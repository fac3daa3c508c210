package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// tokenCreateOptions are the flags of token create.
type tokenCreateOptions struct {
	tokenOptions
	name    string
	ws      []string
	allow   []string
	expires string
}

func tokenCreateCommand() *cobra.Command {
	var o tokenCreateOptions
	c := &cobra.Command{
		Use:   "create --name NAME --ws PATTERN",
		Short: "Make a token, and print it this once",
		Long: `Make a token, and print it. It is kept nowhere and can't be shown again.

In a pattern * stands for any text without a slash, and /** at its end for
whatever is below: 'acme/*/prod', 'acme/**'. '**' is for all workspaces.`,
		Example: `  statelock token create --name 'CI of acme/infra' --ws 'acme/infra/**' --expires 90d
  statelock token create --aws --table locks --name on-call --ws '**' --allow read,mark_stale,force_unlock`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error { return o.create(c) }),
	}
	var defaults []string
	for _, p := range auth.DefaultPermissions() {
		defaults = append(defaults, string(p))
	}
	f := c.Flags()
	f.StringVar(&o.name, "name", "", "what the token is for (required)")
	f.StringSliceVar(&o.ws, "ws", nil, "workspaces that it is for (required; may be repeated)")
	f.StringSliceVar(&o.allow, "allow", defaults, "what it allows; there are mark_stale and force_unlock, too")
	f.StringVar(&o.expires, "expires", "", "when it lapses: after a time such as 12h or 90d, or at one such as 2027-01-31T00:00:00Z (default: never)")
	o.flags(c)
	requireFlag(c, "name")
	requireFlag(c, "ws")
	return c
}

func (o tokenCreateOptions) create(c *cobra.Command) error {
	now := time.Now()
	token, err := o.token(now)
	if err != nil {
		return usageError{err}
	}
	token, secret := auth.Mint(token)
	if err := token.Check(); err != nil {
		return usageError{err}
	}
	o.database.createTable = o.database.embedded()
	err = o.on(c.Context(), func(_ database, tokens *ddbstore.Tokens) error { return tokens.Create(c.Context(), token) })
	if err != nil {
		return err
	}
	if o.json {
		v := viewOf(token, now)
		v.Secret = secret
		return printJSON(c.OutOrStdout(), v)
	}
	until := "does not expire"
	if v := viewOf(token, now); v.ExpiresAt != "" {
		until = "expires " + v.ExpiresAt
	}
	fmt.Fprintf(c.ErrOrStderr(), "token %s allows %s on %s, and %s.\nIt is in the table %s (%s).\nThis is the only time that it is shown:\n",
		token.ID, join(token.Permissions, ", "), join(token.Workspaces, ", "), until, o.table, o.database)
	_, err = fmt.Fprintln(c.OutOrStdout(), secret)
	return err
}

// token reads the flags.
func (o tokenCreateOptions) token(now time.Time) (auth.Token, error) {
	by, _ := runnerName(os.Getenv)
	t := auth.Token{Name: o.name, CreatedAt: now, CreatedBy: by}
	for _, ws := range o.ws {
		p := auth.Pattern(ws)
		if err := p.Check(); err != nil {
			return auth.Token{}, fmt.Errorf("--ws: %w", err)
		}
		t.Workspaces = append(t.Workspaces, p)
	}
	for _, allow := range o.allow {
		p := auth.Permission(allow)
		if err := p.Check(); err != nil {
			return auth.Token{}, fmt.Errorf("--allow: %w", err)
		}
		t.Permissions = append(t.Permissions, p)
	}
	var err error
	t.ExpiresAt, err = expiry(o.expires, now)
	return t, err
}

// expiry reads a time: from now on, or as it is; zero for "".
func expiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if days, ok := strings.CutSuffix(text, "d"); err != nil && ok {
		var n int
		n, err = strconv.Atoi(days)
		at = now.AddDate(0, 0, n)
	} else if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		at = now.Add(d)
	}
	switch {
	case err != nil || at.Year() > 9999: // which RFC 3339 can't spell
		return time.Time{}, fmt.Errorf("--expires %s: want a time from now such as 12h or 90d, or one such as 2027-01-31T00:00:00Z", text)
	case !at.After(now):
		return time.Time{}, fmt.Errorf("--expires %s: that is over", text)
	}
	return at, nil
}

func join[T ~string](all []T, sep string) string {
	var texts []string
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return strings.Join(texts, sep)
}
