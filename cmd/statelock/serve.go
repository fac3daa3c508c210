package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	listen    string
	table     string
	clockSkew time.Duration
	notice    time.Duration
	maxHold   time.Duration
	leases    lockapi.Leases
	sweep     time.Duration
	keep      time.Duration
	maxState  int64
	versions  int
	locked    bool
	callers   callerOptions
	database  databaseOptions
}

func serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve locks over HTTP, from a file of its own or from any DynamoDB",
		Long: `Serve locks over HTTP on this machine.

Without further flags the locks are kept in ./.statelock by the embedded engine,
which needs nothing installed. --endpoint serves a table of any DynamoDB-compatible
server, --aws one of the account, region or endpoint that the AWS SDK's own settings
name (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB, …).

On a loopback address it asks nobody for credentials unless --credentials or --issuers
says so. For other machines it must, and over TLS (--tls-cert, --tls-key) or behind a
proxy that has it (--behind-proxy). The first token: statelock token create.

A request is answered after it is on disk: kill -9 loses nothing that was answered.
The log goes to standard error, a line of JSON for each request.`,
		Args: cobra.NoArgs,
		RunE: untilSignal(func(c *cobra.Command) error {
			if !c.Flags().Changed("create-table") {
				o.database.createTable = o.database.embedded()
			}
			return o.serve(c.Context(), slog.New(slog.NewJSONHandler(c.ErrOrStderr(), nil)))
		}),
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8420", "address to listen on; port 0 takes a free one")
	f.StringVar(&o.table, "table", "statelock", "name of the table")
	f.DurationVar(&o.clockSkew, "clock-skew", ddbstore.DefaultClockSkew, "by how much the clocks of several servers of one table may differ")
	f.DurationVar(&o.leases.Default, "default-lease", 0, "lease of an acquire that doesn't say; 0 for none")
	f.DurationVar(&o.leases.Max, "max-lease", lockapi.MaxLease, "longest lease that is granted")
	f.DurationVar(&o.sweep, "sweep-every", 30*time.Second, "how often to mark lapsed leases stale; 0 for never")
	f.DurationVar(&o.keep, "keep-history", ddbstore.DefaultKeep, "for how long the record of a transition is kept; 0 for a table whose stream is recorded")
	f.DurationVar(&o.notice, "notice", 0, "for how long a lock must have been stale before it may be force-unlocked")
	f.DurationVar(&o.maxHold, "max-hold", 0, "how long after its beginning a hold's lease may reach; 0 for any length")
	f.Int64Var(&o.maxState, "max-state", lockapi.DefaultMaxState, "greatest size of a Terraform state, in bytes")
	f.IntVar(&o.versions, "keep-versions", ddbstore.DefaultKeepVersions, "how many versions of a state are kept")
	f.BoolVar(&o.locked, "require-lock", false, "refuse to write state without a lock")
	f.StringVar(&o.database.data, "data", ".statelock", "folder of the embedded engine's file")
	f.BoolVar(&o.database.memory, "memory", false, "keep the embedded engine in memory only")
	f.StringVar(&o.database.endpoint, "endpoint", "", "URL of a DynamoDB-compatible server to use instead")
	f.BoolVar(&o.database.aws, "aws", false, "use the DynamoDB that the AWS SDK's settings name instead")
	f.BoolVar(&o.database.createTable, "create-table", false, "create the table where it is missing (default: only for the embedded engine)")
	o.callers.flags(f)
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	c.MarkFlagsMutuallyExclusive("memory", "data", "endpoint", "aws")
	if err := c.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

// serve runs until ctx ends, and then lets the requests under way finish.
func (o serveOptions) serve(ctx context.Context, log *slog.Logger) (err error) {
	if err := errors.Join(o.callers.check(o.listen), o.leases.Validate(o.maxHold)); err != nil {
		return usageError{err}
	}
	if o.maxState < 1 || o.versions < 1 {
		return usageError{errors.New("--max-state and --keep-versions must be at least 1")}
	}
	db, err := o.database.open(ctx, o.table)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, db.close()) }()
	if db.lacks != nil {
		log.Warn("the table does without", "error", db.lacks.Error())
	}

	var store lockapi.Store = ddbstore.New(db.client, ddbstore.Options{
		Table: o.table, ClockSkew: o.clockSkew, Notice: o.notice, MaxHold: o.maxHold,
		RequireLock: o.locked, KeepVersions: o.versions,
	})
	if o.keep > 0 {
		store = lockapi.Recorded(store, ddbstore.Recorder{Client: db.client, Table: o.table, Keep: o.keep}, log)
	}
	credentials, err := o.callers.credentials(ctx, db.client, o.table)
	if err != nil {
		return err
	}
	api := lockapi.New(store, lockapi.Options{Log: log, Credentials: credentials, Leases: o.leases, MaxState: o.maxState})

	if o.sweep > 0 {
		ctx, stop := context.WithCancel(ctx)
		swept := make(chan struct{})
		go func() { defer close(swept); sweepEvery(ctx, o.sweep, api, db, log) }()
		defer func() { stop(); <-swept }()
	}

	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", o.listen, err)
	}
	server := &http.Server{
		Handler:           lockapi.Logged(o.callers.guard(api), log),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.Info("serving", "url", o.callers.scheme()+"://"+listener.Addr().String(), "table", o.table, "database", o.database.String())
	return serveUntil(ctx, server, func() error { return o.callers.serve(server, listener) }, log)
}

// sweepEvery marks lapsed leases stale, and has old history deleted, from time
// to time until ctx ends.
func sweepEvery(ctx context.Context, pause time.Duration, api *lockapi.API, db database, log *slog.Logger) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if swept, err := api.Sweep(ctx); err != nil && ctx.Err() == nil {
			log.Error("the sweep broke off", "error", err.Error())
		} else if swept.Marked > 0 || swept.Dropped > 0 {
			log.Info("swept", "marked", swept.Marked, "passed", swept.Passed, "dropped", swept.Dropped, "more", swept.More)
		}
		if err := db.tidy(time.Now()); err != nil {
			log.Error("old history was not deleted", "error", err.Error())
		}
	}
}

func serveUntil(ctx context.Context, server *http.Server, serve func() error, log *slog.Logger) error {
	done := make(chan error, 1)
	go func() { done <- serve() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
