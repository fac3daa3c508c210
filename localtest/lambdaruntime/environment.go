package lambdaruntime

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// environment is one process of the function with its endpoint of the runtime
// API. It ends with the process.
type environment struct {
	function *Function
	cancel   context.CancelFunc // kills the process
	gone     chan struct{}      // closed when the process has ended
	pid      int                // under the function's mutex

	mu        sync.Mutex
	ready     bool           // has asked for an event, ever
	dead      bool           // takes no more events
	current   *invocation    // what the process is handling
	timer     *time.Timer    // that of current
	initError *FunctionError // why it says that it can't start
}

// runEnvironment runs a process to its end, which comes by ctx at the latest.
// It returns an error where the process never got so far as to ask for an
// event.
func (f *Function) runEnvironment(ctx context.Context) *FunctionError {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return functionError("Runtime.Unknown", "%v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := &environment{function: f, cancel: cancel, gone: make(chan struct{})}
	server := &http.Server{Handler: e.api()}
	go server.Serve(listener) //nolint:errcheck // ends with Close
	defer server.Close()      //nolint:errcheck // what is open is the dead process's

	cmd := exec.CommandContext(ctx, f.options.Bootstrap)
	cmd.Dir = filepath.Dir(f.options.Bootstrap)
	cmd.Env = append(f.reserved(listener.Addr().String()), f.options.Env...)
	cmd.Stdout, cmd.Stderr = &f.logs, &f.logs
	cmd.WaitDelay = 5 * time.Second // for output that a grandchild holds open

	f.mu.Lock()
	err = cmd.Start()
	if err == nil {
		e.pid = cmd.Process.Pid
		f.environments[e] = struct{}{}
	}
	f.mu.Unlock()
	if err != nil {
		return functionError("Runtime.InvalidEntrypoint", "%v", err)
	}
	cmd.Wait() //nolint:errcheck // how it ended is in the state
	f.mu.Lock()
	delete(f.environments, e)
	f.mu.Unlock()
	return e.bury(cmd.ProcessState)
}

// reserved are the environment variables that Lambda sets: see "Defined runtime
// environment variables". The function's own come later and win, where Lambda
// would not let them be set at all.
func (f *Function) reserved(api string) []string {
	return []string{
		"AWS_LAMBDA_RUNTIME_API=" + api,
		"AWS_LAMBDA_FUNCTION_NAME=" + f.options.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + f.options.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=local",
		"AWS_REGION=" + region,
		"AWS_DEFAULT_REGION=" + region,
		"LAMBDA_TASK_ROOT=" + filepath.Dir(f.options.Bootstrap),
		"_HANDLER=bootstrap",
		"LANG=en_US.UTF-8",
		"TZ=:UTC",
		"PATH=/usr/local/bin:/usr/bin:/bin",
	}
}

// take makes inv the event that the process is handling, and starts its time.
// It reports the deadline, or false where the process is gone or busy.
func (e *environment) take(inv *invocation) (time.Time, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.dead || e.current != nil {
		return time.Time{}, false
	}
	timeout := e.function.options.Timeout
	e.current = inv
	e.timer = time.AfterFunc(timeout, func() {
		if e.release(inv.id) != nil {
			inv.end(nil, functionError("Sandbox.Timedout", "RequestId: %s Error: Task timed out after %.2f seconds", inv.id, timeout.Seconds()))
			e.kill()
		}
	})
	return time.Now().Add(timeout), true
}

// release takes the event of that id from the process and returns it, or nil
// where the process is not handling it.
func (e *environment) release(id string) *invocation {
	e.mu.Lock()
	defer e.mu.Unlock()
	inv := e.current
	if inv == nil || inv.id != id {
		return nil
	}
	e.current = nil
	e.timer.Stop()
	return inv
}

// kill kills the process. An idle one takes no event with it.
func (e *environment) kill() {
	e.mu.Lock()
	e.dead = true
	e.mu.Unlock()
	e.cancel()
}

func (e *environment) busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current != nil
}

// bury fails what the process was handling when it ended.
func (e *environment) bury(state *os.ProcessState) *FunctionError {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dead = true
	close(e.gone)
	if inv := e.current; inv != nil {
		e.current = nil
		e.timer.Stop()
		inv.end(nil, functionError("Runtime.ExitError", "RequestId: %s Error: Runtime exited with error: %s", inv.id, state))
	}
	switch {
	case e.ready:
		return nil
	case e.initError != nil:
		return e.initError
	}
	return functionError("Runtime.ExitError", "Error: Runtime exited with error: %s", state)
}
