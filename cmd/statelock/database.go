package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// databaseOptions choose where the table is.
type databaseOptions struct {
	data        string
	memory      bool
	endpoint    string
	aws         bool
	createTable bool
}

func (o databaseOptions) embedded() bool { return o.endpoint == "" && !o.aws }

// String names the database in the log.
func (o databaseOptions) String() string {
	switch {
	case o.endpoint != "":
		return o.endpoint
	case o.aws:
		return "AWS"
	case o.memory:
		return "embedded, in memory"
	}
	return "embedded, in " + o.data
}

// open connects to the database, or starts the embedded one, and makes the
// table if that is wanted.
func (o databaseOptions) open(ctx context.Context, table string) (client *dynamodb.Client, stop func() error, err error) {
	stop = func() error { return nil }
	switch {
	case o.endpoint != "":
		client, err = ddbstore.Connect(ctx, func(d *dynamodb.Options) {
			d.BaseEndpoint = &o.endpoint
			// A server of one's own seldom cares who calls from where, but
			// the SDK does not send a request without both.
			if d.Region == "" {
				d.Region = "us-east-1"
			}
			if os.Getenv("AWS_ACCESS_KEY_ID") == "" && os.Getenv("AWS_PROFILE") == "" {
				d.Credentials = aws.NewCredentialsCache(credentials.NewStaticCredentialsProvider("local", "local", ""))
			}
		})
	case o.aws:
		client, err = ddbstore.Connect(ctx)
	default:
		client, stop, err = o.start()
	}
	if err != nil {
		return nil, nil, err
	}
	if o.createTable {
		if err := ddbstore.CreateTable(ctx, client, table); err != nil {
			return nil, nil, errors.Join(err, stop())
		}
	}
	if !o.embedded() {
		if err := ddbstore.Probe(ctx, client, table); err != nil {
			return nil, nil, errors.Join(err, stop())
		}
	}
	return client, stop, nil
}

// start starts the embedded engine.
func (o databaseOptions) start() (*dynamodb.Client, func() error, error) {
	if o.memory {
		e := engine.New()
		return e.Client(), e.Close, nil
	}
	if err := os.MkdirAll(o.data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("--data: %w", err)
	}
	e, err := engine.Open(filepath.Join(o.data, "locks.db"))
	if err != nil {
		return nil, nil, fmt.Errorf("--data %s: %w", o.data, err)
	}
	return e.Client(), e.Close, nil
}
