package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// backendConfigOptions are the flags of backend-config.
type backendConfigOptions struct {
	url   string
	user  string
	lease time.Duration
	verbs bool
	env   bool
	json  bool
}

func backendConfigCommand() *cobra.Command {
	var o backendConfigOptions
	c := &cobra.Command{
		Use:   "backend-config WORKSPACE",
		Short: "Print Terraform's and OpenTofu's settings for a workspace",
		Long: `Print the backend block by which Terraform and OpenTofu keep a workspace's state
and lock with the service.

With --env the same as exports for a shell, which fill in what an empty block,
backend "http" {}, leaves open:

  eval "$(statelock backend-config --env prod)" && terraform init

The password is not printed: it is read from TF_HTTP_PASSWORD.

With --lease a run that writes no state for so long is marked stale, and may be
force-unlocked then; it is never freed by itself. Each state write renews the
lease. It must be longer than the slowest change of a resource.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			settings, err := o.settings(args[0])
			if err != nil {
				return usageError{err}
			}
			switch w := c.OutOrStdout(); {
			case o.json:
				return printJSON(w, settings.values())
			case o.env:
				return settings.printEnv(w)
			default:
				return settings.printBlock(w)
			}
		},
	}
	f := c.Flags()
	f.StringVar(&o.url, "url", os.Getenv("STATELOCK_URL"), "URL of the service (STATELOCK_URL)")
	f.StringVar(&o.user, "user", envOr("STATELOCK_USER", "statelock"), `user name to send with the password; "" sends no credentials (STATELOCK_USER)`)
	f.DurationVar(&o.lease, "lease", 0, "lease to ask for; 0 for what the service grants who doesn't ask")
	f.BoolVar(&o.verbs, "verbs", false, "lock by the methods LOCK and UNLOCK, which a server takes and API Gateway doesn't")
	f.BoolVar(&o.env, "env", false, "print exports for a shell")
	f.BoolVar(&o.json, flagJSON, false, "print JSON")
	c.MarkFlagsMutuallyExclusive("env", flagJSON)
	return c
}

// settings gives the backend's settings for a workspace.
func (o backendConfigOptions) settings(ws string) (backendSettings, error) {
	if err := lockmodel.CheckWorkspace(ws); err != nil {
		return nil, err
	}
	if o.url == "" {
		return nil, errors.New("which service? Name it by --url or STATELOCK_URL")
	}
	for _, r := range o.user {
		if r == ':' || unicode.IsControl(r) {
			return nil, fmt.Errorf("--user %q: basic credentials have no colon and no control character in the user's name", o.user)
		}
	}
	// The same URLs as for every command: where credentials are to be sent,
	// https to other machines.
	credentials := client.Credentials(nil)
	if o.user != "" {
		credentials = client.Basic(o.user, "")
	}
	if _, err := client.New(o.url, client.Options{Credentials: credentials}); err != nil {
		return nil, err
	}
	base, err := url.Parse(o.url)
	if err != nil {
		return nil, err
	}
	lease := ""
	if o.lease != 0 {
		if o.lease < lockapi.MinLease || o.lease > lockapi.MaxLease || o.lease%time.Second != 0 {
			return nil, fmt.Errorf("--lease %s: want whole seconds between %s and %s", o.lease, lockapi.MinLease, lockapi.MaxLease)
		}
		lease = "?" + url.Values{"lease_seconds": {strconv.FormatInt(int64(o.lease/time.Second), 10)}}.Encode()
	}
	state := base.JoinPath("/v1/tf", ws).String()
	lock, lockMethod, unlockMethod := base.JoinPath("/v1/tf-lock", ws).String(), "POST", "DELETE"
	if o.verbs {
		lock, lockMethod, unlockMethod = state, "LOCK", "UNLOCK"
	}
	settings := backendSettings{
		{"address", state},
		{"update_method", "POST"},
		{"lock_address", lock + lease},
		{"lock_method", lockMethod},
		{"unlock_address", lock},
		{"unlock_method", unlockMethod},
		// An outage of half a minute is tried through: the state of what was
		// made must reach the service. The pauses are in seconds and double.
		{"retry_max", 5},
		{"retry_wait_min", 1},
		{"retry_wait_max", 30},
	}
	if o.user != "" {
		settings = append(settings, backendSetting{"username", o.user})
	}
	return settings, nil
}
