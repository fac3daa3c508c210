package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The test binary is the command when this variable is set, so the tests run
// the real thing without building it first.
const asCommand = "TEST_AS_ENGINE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// server is a running command.
type server struct {
	*exec.Cmd
	url string
}

// serve starts the command on a free port and waits until it is ready.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	cmd := command(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Nothing to do if the test has stopped it.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	url, ready := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ready {
		rest, _ := io.ReadAll(lines)
		t.Fatalf("not ready: %s%s (%v)", line, rest, err)
	}
	return &server{cmd, url}
}

// client is an SDK client of the server that tries everything once.
func (s *server) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:           "us-east-1",
		BaseEndpoint:     aws.String(s.url),
		Credentials:      credentials.NewStaticCredentialsProvider("key", "secret", ""),
		RetryMaxAttempts: 1,
	})
}

func createTable(t *testing.T, db *dynamodb.Client) {
	t.Helper()
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String("counts"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func text(s string) types.AttributeValue  { return &types.AttributeValueMemberS{Value: s} }
func number(n int64) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

// count raises a counter from n-1 to n, on condition that it is there.
func count(t *testing.T, db *dynamodb.Client, id string, n int64) error {
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName:                 aws.String("counts"),
		Key:                       map[string]types.AttributeValue{"id": text(id)},
		ConditionExpression:       aws.String("n = :before OR attribute_not_exists(n) AND :before = :zero"),
		UpdateExpression:          aws.String("SET n = :now"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":before": number(n - 1), ":now": number(n), ":zero": number(0)},
	})
	return err
}

func current(t *testing.T, db *dynamodb.Client, id string) int64 {
	t.Helper()
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName:      aws.String("counts"),
		Key:            map[string]types.AttributeValue{"id": text(id)},
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if v, ok := out.Item["n"].(*types.AttributeValueMemberN); ok {
		if _, err := fmt.Sscan(v.Value, &n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// A server that is killed in the middle of its work has lost nothing that it
// acknowledged, and made nothing up.
func TestKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	const counters, kills, enough = 8, 3, 60
	data := filepath.Join(t.TempDir(), "tables.db")
	s := serve(t, "--data", data)
	createTable(t, s.client())
	var acknowledged [counters]int64
	for kill := range kills {
		db := s.client()
		var total atomic.Int64
		loaded := make(chan struct{})
		var writers sync.WaitGroup
		for i := range counters {
			writers.Go(func() {
				for {
					if err := count(t, db, fmt.Sprint(i), acknowledged[i]+1); err != nil {
						if _, refused := errors.AsType[*types.ConditionalCheckFailedException](err); refused {
							t.Errorf("counter %d was not at %d", i, acknowledged[i])
						}
						return // the server is gone
					}
					acknowledged[i]++
					if total.Add(1) == enough {
						close(loaded)
					}
				}
			})
		}
		<-loaded
		if err := s.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		writers.Wait()
		// It was killed, so there is an error; that it is gone is what counts.
		_ = s.Wait()

		s = serve(t, "--data", data)
		db = s.client()
		for i := range counters {
			// The write under way when the server died may have landed.
			got := current(t, db, fmt.Sprint(i))
			if got != acknowledged[i] && got != acknowledged[i]+1 {
				t.Errorf("after kill %d counter %d is %d, acknowledged was %d", kill, i, got, acknowledged[i])
			}
			acknowledged[i] = got
		}
	}
}

func TestSignalStopsTheServer(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		data := filepath.Join(t.TempDir(), "tables.db")
		s := serve(t, "--data", data)
		createTable(t, s.client())
		if err := count(t, s.client(), "a", 1); err != nil {
			t.Fatal(err)
		}
		if err := s.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(); err != nil {
			t.Errorf("after %v: %v", signal, err)
		}
		if got := current(t, serve(t, "--data", data).client(), "a"); got != 1 {
			t.Errorf("after %v the counter is %d", signal, got)
		}
	}
}

func TestMemoryServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	createTable(t, s.client())
	if err := count(t, s.client(), "a", 1); err != nil {
		t.Fatal(err)
	}
	if got := current(t, s.client(), "a"); got != 1 {
		t.Errorf("the counter is %d", got)
	}
}

func TestRefusedToServe(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "tables.db")
	running := serve(t, "--data", data)
	address := strings.TrimPrefix(running.url, "http://")
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"--listen", "[::]:0"}, "not a loopback address"},
		{[]string{"--listen", ":0"}, "not a loopback address"},
		{[]string{"--listen", "192.0.2.1:0"}, "not a loopback address"},
		{[]string{"--listen", "example.com:0"}, "not a loopback address"},
		{[]string{"--listen", "127.0.0.1"}, "missing port in address"},
		{[]string{"--listen", address}, "address already in use"},
		{[]string{"--data", data}, "data file is in use by another process"},
		{[]string{"--data", filepath.Join(data, "x")}, "not a directory"},
		{[]string{"extra"}, `unknown command "extra"`},
		{[]string{"--nope"}, "unknown flag: --nope"},
	}
	for _, test := range tests {
		args := test.args
		if args[0] == "--data" {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		out, err := command(t, args...).CombinedOutput()
		if _, failed := errors.AsType[*exec.ExitError](err); !failed || !strings.Contains(string(out), test.want) {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, err := command(t, "--help").Output()
	for _, want := range []string{"--listen", "--data", "--allow-remote", "127.0.0.1:8000"} {
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("help lacks %s (%v):\n%s", want, err, out)
		}
	}
}
