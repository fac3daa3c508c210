// Coldstart measures how long the Lambda function takes from the start of its
// process to its first answer, next to a function that does nothing and to one
// that only reads an item with the AWS SDK, and how large each is:
//
//	go run ./localtest/coldstart            20 starts of each
//	go run ./localtest/coldstart -n 100
//
// The functions run under the runtime API of localtest/lambdaruntime, with the
// embedded DynamoDB, and start in turns, so that what else the machine does meets
// all of them. The times are this machine's: Lambda has other processors, and
// fetches the archive first. What they say is how the function compares. Sizes are
// of what is deployed, for linux/arm64.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// subject is a function and the event that it answers first.
type subject struct {
	name, source string
	event        string
	env          []string
	took         []time.Duration
	sizes
}

func main() {
	n := flag.Int("n", 20, "how often to start each function")
	flag.Parse()
	if *n < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := measure(context.Background(), *n); err != nil {
		fmt.Fprintln(os.Stderr, "coldstart:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, n int) error {
	endpoint, err := database(ctx)
	if err != nil {
		return err
	}
	aws := []string{"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"}
	const read = `{"op":"lock_state","ws":"prod"}`
	subjects := []*subject{
		{name: "hello", source: "./localtest/coldstart/hello", event: "{}"},
		{name: "DynamoDB client, one read", source: "./localtest/coldstart/client", event: "{}", env: aws},
		{name: "statelock, one read", source: "./functions/lock", event: read, env: append(aws, "STATELOCK_TABLE=locks")},
		{name: "statelock, one transition", source: "./functions/lock", event: `{"op":"acquire","ws":"dev","runner":"ci-7"}`, env: append(aws, "STATELOCK_TABLE=locks")},
	}
	dir, err := os.MkdirTemp("", "statelock-coldstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, s := range subjects {
		if s.sizes, err = build(ctx, dir, s.source); err != nil {
			return err
		}
	}
	for range n {
		for _, s := range subjects {
			took, err := s.start(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			s.took = append(s.took, took)
		}
	}
	report(os.Stdout, subjects)
	return nil
}

// database serves an embedded DynamoDB, as long as this process lasts.
func database(ctx context.Context) (endpoint string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: engine.New(), ReadHeaderTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // it serves to the end
	endpoint = "http://" + listener.Addr().String()
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint, Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	return endpoint, ddbstore.CreateTable(ctx, client, "locks")
}

// start starts the function, has it answer, and ends it.
func (s *subject) start(ctx context.Context) (time.Duration, error) {
	begin := time.Now()
	f, err := lambdaruntime.Start(lambdaruntime.Options{Bootstrap: s.bootstrap, Env: s.env})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	answer, err := f.Invoke(ctx, []byte(s.event))
	took := time.Since(begin)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, f.Logs())
	}
	if slices.Contains([]string{"", "null"}, string(answer)) {
		return 0, fmt.Errorf("the answer is %q", answer)
	}
	return took, nil
}
