package lambdaruntime

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"sync"
	"time"

	"github.com/google/uuid"
)

// MaxPayload is Lambda's limit on the event and on the answer of a synchronous
// invocation, in bytes: see "Lambda quotas".
const MaxPayload = 6 << 20

// Why an invocation never reached the function. FunctionError is for one that
// did.
var (
	ErrClosed         = errors.New("lambdaruntime: the function is closed")
	ErrRequestTooLong = errors.New("lambdaruntime: the event is longer than 6 MiB")
	ErrRequestContent = errors.New("lambdaruntime: the event is not JSON")
)

// Options say what function to run.
type Options struct {
	// Bootstrap is the path of the executable. Required.
	Bootstrap string
	// Env are its environment variables, as in os/exec: those of the function's
	// configuration. Lambda's own come on top; nothing is inherited.
	Env []string
	// Processes is how many events can be handled at a time; 0 means 1.
	Processes int
	// Timeout is the function's time-out; 0 means 10 seconds.
	Timeout time.Duration
	// Name is the function's name; "" means "function".
	Name string
}

// Function is a running function. Its methods may be called concurrently.
type Function struct {
	options Options
	events  chan *invocation
	logs    logs
	stop    context.CancelFunc
	stopped <-chan struct{}
	workers sync.WaitGroup

	mu           sync.Mutex
	environments map[*environment]struct{} // those whose process runs
}

// Start starts the function's processes. It doesn't wait until they are ready:
// that, and how it went, shows in the first invocations.
func Start(options Options) (*Function, error) {
	if _, err := exec.LookPath(options.Bootstrap); err != nil {
		return nil, err
	}
	options.Processes = max(options.Processes, 1)
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Name == "" {
		options.Name = "function"
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &Function{
		options:      options,
		events:       make(chan *invocation),
		stop:         cancel,
		stopped:      ctx.Done(),
		environments: make(map[*environment]struct{}),
	}
	for range options.Processes {
		f.workers.Go(func() { f.work(ctx) })
	}
	return f, nil
}

// work keeps one process running until ctx ends.
func (f *Function) work(ctx context.Context) {
	for ctx.Err() == nil {
		failure := f.runEnvironment(ctx)
		if failure == nil {
			continue
		}
		// It never asked for an event. Lambda fails the next invocation for it
		// and starts the process again with the one after.
		select {
		case inv := <-f.events:
			inv.end(nil, failure)
		case <-ctx.Done():
		}
	}
}

// Close kills the processes, waits until they are gone and fails what was in
// flight.
func (f *Function) Close() {
	f.stop()
	f.workers.Wait()
}

// Invoke invokes the function with an event and returns its answer. An error
// is a *FunctionError where the function was given the event, ctx's where that
// ended first, or says why the event was not taken. As with Lambda, an event
// that the function has been given is handled even if the caller goes away.
func (f *Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	return f.InvokeAs(ctx, uuid.NewString(), event)
}

// InvokeAs is Invoke with a request id of the caller's: Lambda repeats an
// asynchronous invocation with the same id.
func (f *Function) InvokeAs(ctx context.Context, requestID string, event []byte) ([]byte, error) {
	switch {
	case len(event) > MaxPayload:
		return nil, ErrRequestTooLong
	case !json.Valid(event):
		return nil, ErrRequestContent
	}
	for {
		inv := newInvocation(requestID, event)
		select {
		case f.events <- inv:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.stopped:
			return nil, ErrClosed
		}
		select {
		case <-inv.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(inv.err, errNotDelivered) {
			return inv.answer, inv.err
		}
	}
}

// PIDs returns the ids of the function's processes.
func (f *Function) PIDs() []int {
	return f.pids(func(*environment) bool { return true })
}

// Busy returns the ids of the processes that are handling an event.
func (f *Function) Busy() []int {
	return f.pids((*environment).busy)
}

func (f *Function) pids(want func(*environment) bool) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var pids []int
	for e := range f.environments {
		if want(e) {
			pids = append(pids, e.pid)
		}
	}
	return pids
}

// Kill kills one of the function's processes, with no chance to clean up
// (SIGKILL). It reports false where the function has no such process, as it
// may have ended by itself.
func (f *Function) Kill(pid int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.environments {
		if e.pid == pid {
			e.kill()
			return true
		}
	}
	return false
}

// Logs returns what the processes have written to stdout and stderr.
func (f *Function) Logs() string { return f.logs.String() }
