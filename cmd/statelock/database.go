package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

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

// database is a table's DynamoDB.
type database struct {
	client *dynamodb.Client
	// lacks is what its table does without, nil for nothing.
	lacks error
	// tidy deletes what has outlived its time to live, where DynamoDB does not
	// do so itself.
	tidy  func(now time.Time) error
	close func() error
}

// open connects to the database, or starts the embedded one, and makes the
// table if that is wanted.
func (o databaseOptions) open(ctx context.Context, table string) (database, error) {
	d, err := o.connect(ctx)
	if err != nil {
		return database{}, err
	}
	if o.createTable {
		if err = ddbstore.CreateTable(ctx, d.client, table); err == nil {
			err = ddbstore.EnableExpiry(ctx, d.client, table)
		}
		if errors.Is(err, ddbstore.ErrNoExpiry) {
			d.lacks, err = err, nil
		}
	}
	if err == nil && !o.embedded() {
		err = ddbstore.Probe(ctx, d.client, table)
	}
	if err != nil {
		return database{}, errors.Join(err, d.close())
	}
	return d, nil
}

func (o databaseOptions) connect(ctx context.Context) (d database, err error) {
	d.tidy = func(time.Time) error { return nil }
	d.close = func() error { return nil }
	switch {
	case o.endpoint != "":
		d.client, err = ddbstore.Connect(ctx, func(d *dynamodb.Options) {
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
		d.client, err = ddbstore.Connect(ctx)
	default:
		var e *engine.Engine
		if e, err = o.start(); err == nil {
			d.client, d.close = e.Client(), e.Close
			d.tidy = func(now time.Time) error { _, err := e.SweepExpired(now); return err }
		}
	}
	return d, err
}

// start starts the embedded engine.
func (o databaseOptions) start() (*engine.Engine, error) {
	if o.memory {
		return engine.New(), nil
	}
	if err := os.MkdirAll(o.data, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	e, err := engine.Open(filepath.Join(o.data, "locks.db"))
	if err != nil {
		return nil, fmt.Errorf("--data %s: %w", o.data, err)
	}
	return e, nil
}
