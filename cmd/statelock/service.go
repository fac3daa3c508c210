package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

const flagJSON = "json"

// serviceOptions are the flags of all commands that talk to a service.
type serviceOptions struct {
	url       string
	auth      string
	patience  time.Duration
	table     string
	database  databaseOptions
	clockSkew time.Duration
	json      bool
	transport http.RoundTripper // nil for the usual one
}

func (o *serviceOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "url", os.Getenv("STATELOCK_URL"), "URL of the service (STATELOCK_URL)")
	f.StringVar(&o.auth, "auth", envOr("STATELOCK_AUTH", "auto"), "credentials: none, bearer (STATELOCK_TOKEN), basic (STATELOCK_USER, STATELOCK_PASSWORD), sigv4 (the AWS SDK's settings), or auto for what is set (STATELOCK_AUTH)")
	f.DurationVar(&o.patience, "timeout", client.DefaultPatience, "for how long to try to get an answer from the service")
	f.StringVar(&o.table, "table", "", "when the service is down: work on this DynamoDB table directly")
	f.StringVar(&o.database.endpoint, "endpoint", "", "with --table: URL of a DynamoDB-compatible server, instead of AWS")
	f.DurationVar(&o.clockSkew, "clock-skew", ddbstore.DefaultClockSkew, "with --table: by how much this machine's clock may differ from the service's")
	f.BoolVar(&o.json, flagJSON, false, "print JSON, as the service answers")
}

func envOr(name, value string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return value
}

// connect makes the client that the flags describe.
func (o *serviceOptions) connect(c *cobra.Command) (*client.Client, error) {
	options := client.Options{Patience: o.patience, Transport: o.transport}
	if o.database.endpoint != "" && o.table == "" {
		return nil, usageError{errors.New("--endpoint needs --table")}
	}
	if o.table != "" {
		if c.Flags().Changed("url") {
			return nil, usageError{errors.New("--table works without the service: not together with --url")}
		}
		return o.direct(c.Context(), options)
	}
	if o.url == "" {
		return nil, usageError{errors.New("which service? Name it by --url or STATELOCK_URL")}
	}
	var err error
	if options.Credentials, err = o.credentials(c.Context()); err != nil {
		return nil, err
	}
	cl, err := client.New(o.url, options)
	if err != nil {
		return nil, usageError{err}
	}
	return cl, nil
}

// direct makes a client of the table.
func (o *serviceOptions) direct(ctx context.Context, options client.Options) (*client.Client, error) {
	o.database.aws = o.database.endpoint == ""
	db, err := o.database.open(ctx, o.table)
	if err != nil {
		return nil, &client.UnreachableError{Op: "open the table", Err: err}
	}
	// The table's stream may record the same again, which changes nothing.
	store := lockapi.Recorded(ddbstore.New(db.client, ddbstore.Options{
		Table: o.table, ClockSkew: o.clockSkew,
		KeepVersions: math.MaxInt, // how many are kept is the service's to say
	}),
		ddbstore.Recorder{Client: db.client, Table: o.table, Keep: ddbstore.DefaultKeep},
		slog.New(slog.NewTextHandler(os.Stderr, nil)))
	return client.NewOnStore(store, slog.New(slog.DiscardHandler), options), nil
}

// credentials are those that the flag names, or what the environment has.
func (o *serviceOptions) credentials(ctx context.Context) (client.Credentials, error) {
	var host string
	if u, err := url.Parse(o.url); err == nil {
		host = u.Hostname()
	}
	auth := o.auth
	if auth == "auto" {
		auth = "none"
		if _, ok := client.APIGatewayRegion(host); ok {
			auth = "sigv4"
		}
		switch {
		case os.Getenv("STATELOCK_TOKEN") != "":
			auth = "bearer"
		case os.Getenv("STATELOCK_USER") != "":
			auth = "basic"
		}
	}
	switch auth {
	case "none":
		return nil, nil //nolint:nilnil // none, and nothing wrong
	case "bearer":
		return client.Bearer(os.Getenv("STATELOCK_TOKEN")), needEnv("STATELOCK_TOKEN")
	case "basic":
		return client.Basic(os.Getenv("STATELOCK_USER"), os.Getenv("STATELOCK_PASSWORD")), needEnv("STATELOCK_USER", "STATELOCK_PASSWORD")
	case "sigv4":
		return client.SigV4FromEnvironment(ctx, host)
	}
	return nil, usageError{fmt.Errorf("--auth %s: there are auto, none, bearer, basic, sigv4", o.auth)}
}

func needEnv(names ...string) error {
	for _, name := range names {
		if os.Getenv(name) == "" {
			return usageError{fmt.Errorf("%s is not set", name)}
		}
	}
	return nil
}

// workspaceFlag adds the flag that names the lock.
func workspaceFlag(c *cobra.Command, ws *string) {
	c.Flags().StringVar(ws, "ws", "", "workspace (required)")
	requireFlag(c, "ws")
}

func requireFlag(c *cobra.Command, name string) {
	if err := c.MarkFlagRequired(name); err != nil {
		panic(err) // the flag is defined next to it
	}
}
