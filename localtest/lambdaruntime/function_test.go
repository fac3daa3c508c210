package lambdaruntime

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestInvoke(t *testing.T) {
	t.Parallel()
	f := start(t, Options{Env: []string{asBootstrap + "=function", "STATELOCK_TABLE=locks"}, Name: "lock", Timeout: time.Minute})
	d := describe(t, f)
	if !slices.Equal(f.PIDs(), []int{d.PID}) {
		t.Errorf("process %d answered, %v run", d.PID, f.PIDs())
	}
	if d.ARN != "arn:aws:lambda:us-east-1:123456789012:function:lock" {
		t.Errorf("ARN %s", d.ARN)
	}
	if d.Left <= 50*time.Second || d.Left > time.Minute {
		t.Errorf("%s left of a minute", d.Left)
	}
	if !regexp.MustCompile(`^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=[01]$`).MatchString(d.Trace) {
		t.Errorf("trace id %q", d.Trace)
	}
	for _, want := range []string{"STATELOCK_TABLE=locks", "_HANDLER=bootstrap", "AWS_LAMBDA_FUNCTION_NAME=lock", "AWS_REGION=us-east-1"} {
		if !slices.Contains(d.Env, want) {
			t.Errorf("the environment lacks %s", want)
		}
	}
	for _, entry := range d.Env {
		if strings.HasPrefix(entry, "HOME=") {
			t.Errorf("the environment is inherited: %s", entry)
		}
	}
	if again := describe(t, f); again.PID != d.PID || again.ID == d.ID {
		t.Errorf("then process %d with id %s, after %d with %s", again.PID, again.ID, d.PID, d.ID)
	}
	for range 2 {
		answer, err := f.InvokeAs(t.Context(), "the-same", encode(command{Do: "describe"}))
		if err != nil || !strings.Contains(string(answer), `"id":"the-same"`) {
			t.Errorf("%s, %v", answer, err)
		}
	}
}

func TestFunctionErrors(t *testing.T) {
	t.Parallel()
	f := start(t, Options{})
	for _, test := range []struct {
		command       command
		kind, message string
	}{
		{command{Do: "fail"}, "errorString", "a bad day"},
		{command{Do: "panic"}, "string", "a worse day"}, // and the process exits
		{command{Do: "exit"}, "Runtime.ExitError", "exit status 7"},
		{command{Do: "long", Size: MaxPayload + 1}, "Function.ResponseSizeTooLarge", "6291456"},
	} {
		_, err := invoke(t, f, test.command)
		failure, ok := errors.AsType[*FunctionError](err)
		if !ok || failure.Type != test.kind || !strings.Contains(failure.Message, test.message) {
			t.Errorf("%+v: %v, want %s: … %s", test.command, err, test.kind, test.message)
			continue
		}
		if !strings.Contains(string(failure.Payload), `"errorType":"`+test.kind+`"`) {
			t.Errorf("%+v: payload %s", test.command, failure.Payload)
		}
		describe(t, f) // it goes on
	}
	answer, err := invoke(t, f, command{Do: "long", Size: MaxPayload})
	if err != nil || len(answer) != MaxPayload {
		t.Errorf("the longest answer: %d bytes, %v", len(answer), err)
	}
}

func TestRefusedEvents(t *testing.T) {
	t.Parallel()
	f := start(t, Options{})
	if _, err := f.Invoke(t.Context(), []byte(`{"do":`)); !errors.Is(err, ErrRequestContent) {
		t.Errorf("not JSON: %v", err)
	}
	long := `{"do":"` + strings.Repeat("x", MaxPayload) + `"}`
	if _, err := f.Invoke(t.Context(), []byte(long)); !errors.Is(err, ErrRequestTooLong) {
		t.Errorf("too long: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	f := start(t, Options{Timeout: time.Second})
	before := describe(t, f).PID
	_, err := invoke(t, f, command{Do: "hang"})
	failure, ok := errors.AsType[*FunctionError](err)
	if !ok || failure.Type != "Sandbox.Timedout" || !strings.Contains(failure.Message, "timed out after 1.00 seconds") {
		t.Errorf("error %v", err)
	}
	if after := describe(t, f).PID; after == before {
		t.Errorf("process %d goes on", after)
	}
}

// caught returns a URL to call and a channel that tells of each call.
func caught(t *testing.T) (string, <-chan struct{}) {
	calls := make(chan struct{}, 16)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls <- struct{}{} }))
	t.Cleanup(server.Close)
	return server.URL, calls
}

func TestKillDuringAnInvocation(t *testing.T) {
	t.Parallel()
	f := start(t, Options{})
	url, calls := caught(t)
	result := make(chan error, 1)
	go func() {
		_, err := invoke(t, f, command{Do: "hang", Call: url})
		result <- err
	}()
	<-calls
	busy := f.Busy()
	if len(busy) != 1 || !f.Kill(busy[0]) {
		t.Fatalf("busy: %v", busy)
	}
	err := <-result
	if failure, ok := errors.AsType[*FunctionError](err); !ok || failure.Type != "Runtime.ExitError" || !strings.Contains(failure.Message, "killed") {
		t.Errorf("error %v", err)
	}
	if d := describe(t, f); d.PID == busy[0] {
		t.Errorf("process %d goes on", d.PID)
	}
	if f.Kill(busy[0]) {
		t.Error("killed twice")
	}
}

// TestKillWhileIdle: an event that no process has seen is not lost.
func TestKillWhileIdle(t *testing.T) {
	t.Parallel()
	f := start(t, Options{})
	for range 5 {
		pid := describe(t, f).PID
		if !f.Kill(pid) {
			t.Fatalf("no process %d", pid)
		}
		if again := describe(t, f).PID; again == pid {
			t.Errorf("process %d goes on", pid)
		}
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	const n = 3
	f := start(t, Options{Processes: n})
	url, calls := caught(t)
	ctx, cancel := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for range n {
		callers.Go(func() {
			if _, err := f.Invoke(ctx, encode(command{Do: "hang", Call: url})); !errors.Is(err, context.Canceled) {
				t.Errorf("a caller that goes away: %v", err)
			}
		})
	}
	for range n {
		<-calls // all at a time
	}
	if busy := f.Busy(); len(busy) != n {
		t.Errorf("busy: %v", busy)
	}
	// There is no process left for one more, and it may give up waiting.
	short, end := context.WithTimeout(t.Context(), time.Millisecond)
	defer end()
	if _, err := f.Invoke(short, []byte(`{}`)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one too many: %v", err)
	}
	cancel()
	callers.Wait()
	if busy := f.Busy(); len(busy) != n {
		t.Errorf("the function stopped with its callers: %v", busy)
	}
}

func TestFailingToStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ how, kind, message string }{
		{"exit", "Runtime.ExitError", "exit status 3"},
		{"init error", "Config.Missing", "no table"},
	} {
		f := start(t, Options{Env: []string{asBootstrap + "=" + test.how}})
		for range 2 {
			_, err := f.Invoke(t.Context(), []byte(`{}`))
			if failure, ok := errors.AsType[*FunctionError](err); !ok || failure.Type != test.kind || !strings.Contains(failure.Message, test.message) {
				t.Errorf("%s: %v", test.how, err)
			}
		}
	}
	if _, err := Start(Options{Bootstrap: filepath.Join(t.TempDir(), "bootstrap")}); err == nil {
		t.Error("started a function without a bootstrap")
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	f := start(t, Options{Env: []string{asBootstrap + "=function"}})
	if _, err := invoke(t, f, command{Do: "print"}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, want := range []string{"to stdout\n", "to stderr\n"} {
		if !strings.Contains(f.Logs(), want) {
			t.Errorf("%q is missing in %q", want, f.Logs())
		}
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	t.Parallel()
	f := start(t, Options{Processes: 2})
	url, calls := caught(t)
	result := make(chan error, 1)
	go func() {
		_, err := invoke(t, f, command{Do: "hang", Call: url})
		result <- err
	}()
	<-calls
	describe(t, f) // the other one is up, too
	pids := f.PIDs()
	if len(pids) != 2 {
		t.Fatalf("processes %v", pids)
	}
	f.Close()
	if err := <-result; err == nil {
		t.Error("an invocation survived")
	}
	if left := f.PIDs(); len(left) != 0 {
		t.Errorf("processes %v are left", left)
	}
	for _, pid := range pids {
		if process, err := os.FindProcess(pid); err == nil && process.Signal(syscall.Signal(0)) == nil {
			t.Errorf("process %d is left", pid)
		}
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, ErrClosed) {
		t.Errorf("invoked after Close: %v", err)
	}
}
