package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/localtest/exchange"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// TestMain lets the tests run this very binary as the command statelock.
func TestMain(m *testing.M) {
	// Many tests wait for a lease to end, and use no processor meanwhile.
	flag.Set("test.parallel", "12") //nolint:errcheck // there is such a flag
	if _, child := programs[filepath.Base(os.Args[0])]; !child {
		for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
			if signal.Ignored(s) { // as by nohup, and then our children would ignore it too
				signal.Notify(make(chan os.Signal, 1), s)
			}
		}
	}
	testscript.Main(m, programs)
}

// programs are what tests can run as child processes.
var programs = map[string]func(){"statelock": main, "worker": worker}

// server is a running statelock serve.
type server struct {
	url  string
	cmd  *exec.Cmd
	said string // before it served
}

// serve starts statelock serve on a free port and waits until it serves.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), "statelock", append([]string{"serve", "--listen=127.0.0.1:0"}, args...)...)}
	s.cmd.Dir = t.TempDir()
	log, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			s.stop(t, syscall.SIGKILL)
		}
	})
	lines := bufio.NewReader(log)
	for s.url == "" {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("statelock serve ended before it served: %v; last said %s", err, line)
		}
		var entry struct{ Msg, URL string }
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("not a line of JSON: %s", line)
		}
		s.url = entry.URL
		s.said += string(line)
	}
	go io.Copy(io.Discard, lines) //nolint:errcheck // ends with the process
	return s
}

func (s *server) stop(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := s.cmd.Wait()
	if signal != syscall.SIGKILL && err != nil {
		t.Errorf("statelock serve ended with %v", err)
	}
}

func TestExchangeWithServerProcess(t *testing.T) {
	t.Parallel()
	e := engine.New()
	ddb := httptest.NewServer(e)
	defer ddb.Close()
	for name, args := range map[string][]string{
		"default":  nil,
		"memory":   {"--memory"},
		"endpoint": {"--endpoint=" + ddb.URL, "--table=other", "--create-table"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, args...)
			exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
				return exchange.Do(ctx, t, http.DefaultClient, s.url, op, ws, runner)
			})
			s.stop(t, syscall.SIGTERM)
		})
	}
	// The table that it made deletes what has expired.
	made, err := e.Client().DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("other")})
	if err != nil {
		t.Fatal(err)
	}
	if d := made.TimeToLiveDescription; d.TimeToLiveStatus != types.TimeToLiveStatusEnabled || *d.AttributeName != "expires_at" {
		t.Errorf("time to live: %+v", d)
	}
}

// A server that has no time to live will do; the table is made, and what it
// lacks is told.
func TestServerWithoutTimeToLive(t *testing.T) {
	t.Parallel()
	e := engine.New()
	ddb := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "TimeToLive") {
			r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Unknown")
		}
		e.ServeHTTP(w, r)
	}))
	defer ddb.Close()
	s := serve(t, "--endpoint="+ddb.URL, "--table=locks", "--create-table")
	if !strings.Contains(s.said, `"level":"WARN"`) || !strings.Contains(s.said, ddbstore.ErrNoExpiry.Error()) {
		t.Errorf("it said %s", s.said)
	}
	if _, err := e.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("locks")}); err != nil {
		t.Error(err)
	}
}

// A server is killed under load, again and again: each lock that a client was
// told it holds is there afterwards, under the same id and fence.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "locks")
	var mu sync.Mutex
	told := map[string]map[string]any{} // workspace → the acquire's answer
	for round := range 3 {
		s := serve(t, "--data="+data)
		var clients sync.WaitGroup
		enough := make(chan struct{}, 1000)
		for c := range 8 {
			clients.Go(func() {
				for n := 0; ; n++ {
					ws := fmt.Sprintf("kill/%d/%d/%d", round, c, n)
					resp, err := http.Post(s.url+"/v1/acquire", "application/json", strings.NewReader(`{"ws":"`+ws+`","runner":"r"}`))
					if err != nil {
						return // killed
					}
					var answer map[string]any
					err = json.NewDecoder(resp.Body).Decode(&answer)
					resp.Body.Close()
					if err != nil {
						return
					}
					mu.Lock()
					told[ws] = answer
					mu.Unlock()
					select {
					case enough <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 40 {
			<-enough
		}
		s.stop(t, syscall.SIGKILL)
		clients.Wait()
	}
	s := serve(t, "--data="+data)
	for ws, answer := range told {
		_, state := exchange.Do(t.Context(), t, http.DefaultClient, s.url, "lock_state", ws, "")
		if answer["ok"] != true || state["state"] != "held" || state["lock_id"] != answer["lock_id"] || state["fence"] != answer["fence"] {
			t.Errorf("%s: told %v, found %v", ws, answer, state)
		}
	}
	t.Logf("%d acknowledged acquires survived 3 kills", len(told))
}

// A request under way when the server is told to stop is answered.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	s := serve(t, "--memory")
	address := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"ws":"prod","runner":"a"}`
	fmt.Fprintf(conn, "POST /v1/acquire HTTP/1.1\r\nHost: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", address, len(body))
	answers := bufio.NewReader(conn)
	// The server says so when it wants the body: the request is under way.
	if line, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it has stopped listening
		probe, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		probe.Close()
	}
	io.WriteString(conn, body) //nolint:errcheck // the answer tells
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusOK {
		t.Errorf("the request under way got %d", resp.StatusCode)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// Two servers do not share the embedded engine's file.
func TestOneServerAFolder(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "locks")
	first := serve(t, "--data="+data)
	out, err := exec.CommandContext(t.Context(), "statelock", "serve", "--listen=127.0.0.1:0", "--data="+data).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use") {
		t.Errorf("a second server: %v\n%s", err, out)
	}
	first.stop(t, syscall.SIGINT)
}

// The local server deletes history that is older than it is to be kept, and
// nothing of the lock.
func TestOldHistoryGoes(t *testing.T) {
	t.Parallel()
	s := serve(t, "--memory", "--keep-history=1ms", "--sweep-every=10ms")
	exchange.Do(t.Context(), t, http.DefaultClient, s.url, "acquire", "prod", "ci-7")
	for {
		out, err := exec.CommandContext(t.Context(), "statelock", "history", "--url", s.url, "--ws", "prod", "--json").Output()
		if err != nil {
			t.Fatal(err)
		}
		if string(out) == `{"events":[]}`+"\n" {
			break
		}
	}
	if _, lock := exchange.Do(t.Context(), t, http.DefaultClient, s.url, "lock_state", "prod", ""); lock["state"] != "held" {
		t.Errorf("the lock went with it: %v", lock)
	}
	s.stop(t, syscall.SIGTERM)
}
