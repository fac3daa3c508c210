package lambdaruntime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// asBootstrap makes the test binary the function under test: its value says
// how the function starts.
const asBootstrap = "LAMBDARUNTIME_TEST_BOOTSTRAP"

func TestMain(m *testing.M) {
	switch os.Getenv(asBootstrap) {
	case "":
		os.Exit(m.Run())
	case "exit":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(3)
	case "init error":
		if err := reportInitError(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	lambda.Start(handle)
}

// reportInitError tells Lambda why the function can't start. The Lambda library
// for Go has no way to.
func reportInitError() error {
	url := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/init/error"
	body := strings.NewReader(`{"errorType":"Config.Missing","errorMessage":"no table"}`)
	resp, err := http.Post(url, "application/json", body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return errors.New(resp.Status)
	}
	return nil
}

// command is what the tests' function does for an event.
type command struct {
	Do   string
	Call string // a URL to call first, so that the test knows
	Size int
}

func handle(ctx context.Context, c command) (any, error) {
	if c.Call != "" {
		resp, err := http.Get(c.Call)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	switch c.Do {
	case "describe":
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return map[string]any{
			"pid": os.Getpid(), "env": os.Environ(), "id": lc.AwsRequestID, "arn": lc.InvokedFunctionArn,
			"left": time.Until(deadline), "trace": ctx.Value("x-amzn-trace-id"),
		}, nil
	case "fail":
		return nil, errors.New("a bad day")
	case "panic":
		panic("a worse day")
	case "hang":
		select {}
	case "exit":
		os.Exit(7)
	case "print":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
	case "long":
		return strings.Repeat("x", c.Size-2), nil // with the quotes, Size bytes
	}
	return nil, nil
}

// start starts the tests' function and closes it with the test.
func start(t *testing.T, options Options) *Function {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options.Bootstrap = exe
	if options.Env == nil {
		options.Env = []string{asBootstrap + "=function"}
	}
	f, err := Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		if t.Failed() {
			t.Log("function's output:\n" + f.Logs())
		}
	})
	return f
}

// invoke invokes the tests' function.
func invoke(t *testing.T, f *Function, c command) ([]byte, error) {
	t.Helper()
	return f.Invoke(t.Context(), encode(c))
}

// description is the answer to "describe".
type description struct {
	PID            int
	Env            []string
	ID, ARN, Trace string
	Left           time.Duration
}

func describe(t *testing.T, f *Function) description {
	t.Helper()
	answer, err := invoke(t, f, command{Do: "describe"})
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(answer, &d); err != nil {
		t.Fatal(err)
	}
	return d
}
