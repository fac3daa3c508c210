package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/localtest/engine"
)

// options are the command's flags.
type options struct {
	listen      string // host:port
	data        string // file; empty for memory
	allowRemote bool
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "Serve a DynamoDB of one's own",
		Long: `Serve a DynamoDB of one's own: tables in memory, or in a file that survives a
crash. Any client can use it that lets its endpoint be set:

  engine --listen 127.0.0.1:8000 --data tables.db
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000

Credentials are not checked, so it listens on the loopback interface only,
unless told otherwise. It stops on SIGINT or SIGTERM, after the requests under
way have been answered.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.serve(cmd.Context(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8000", "`address` to listen on; port 0 picks a free one")
	flags.StringVar(&o.data, "data", "", "`file` to keep the tables in (default memory only)")
	flags.BoolVar(&o.allowRemote, "allow-remote", false, "accept an address that other machines can reach")
	return cmd
}

// graceTime is how long requests under way may take after a signal.
const graceTime = 10 * time.Second

// serve runs until ctx ends. It announces itself on log when it is ready.
func (o *options) serve(ctx context.Context, log io.Writer) (err error) {
	if err := o.checkListen(); err != nil {
		return err
	}
	e, err := o.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: e, ReadHeaderTimeout: graceTime}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(log, "listening on http://%s\n", listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	return server.Shutdown(grace)
}

func (o *options) open() (*engine.Engine, error) {
	if o.data == "" {
		return engine.New(), nil
	}
	return engine.Open(o.data)
}

// checkListen refuses addresses beyond the loopback interface, unless allowed.
func (o *options) checkListen() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	ip := net.ParseIP(host)
	if o.allowRemote || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s is not a loopback address; credentials are not checked, "+
		"so other machines could use the tables (--allow-remote lets them)", o.listen)
}
