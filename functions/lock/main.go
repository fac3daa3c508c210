package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

func main() {
	// Lambda filters JSON lines by level where they have its names for the keys.
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: lambdacontext.ReplaceAttr}))
	slog.SetDefault(log)
	h, err := newHandler(context.Background(), os.Environ(), log)
	if err != nil {
		log.Error("the function can't start", "error", err.Error())
		os.Exit(1)
	}
	lambda.Start(h)
}

// newHandler does once what all invocations of an instance share.
func newHandler(ctx context.Context, environ []string, log *slog.Logger) (*handler, error) {
	c, err := configFrom(environ)
	if err != nil {
		return nil, err
	}
	client, err := ddbstore.Connect(ctx, measureRequests)
	if err != nil {
		return nil, err
	}
	store := ddbstore.New(client, ddbstore.Options{
		Table: c.Table, ClockSkew: c.ClockSkew, Notice: c.Notice, MaxHold: c.MaxHold,
		RequireLock: c.RequireLock, KeepVersions: int(c.KeepVersions),
	})
	credentials, err := auth.New(&ddbstore.Tokens{Client: client, Table: c.Table}, c.Issuers, auth.Options{})
	if err != nil {
		return nil, err
	}
	notify, err := newNotifier(ctx, c.Topic)
	if err != nil {
		return nil, err
	}
	return &handler{
		service:  lockapi.New(measured{store}, lockapi.Options{Log: log, Credentials: credentials, BehindGateway: !c.JWT, Leases: c.leases(), MaxState: c.MaxState}),
		recorder: ddbstore.Recorder{Client: client, Table: c.Table, Keep: c.KeepHistory},
		log:      log,
		serves:   c.Serves,
		jwt:      c.JWT,
		notify:   notify,
		locks:    store,
		metrics:  os.Stdout,
		table:    c.Table,
	}, nil
}
