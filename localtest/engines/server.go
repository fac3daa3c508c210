package engines

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
)

// A Server is a running engine.
type Server struct {
	// URL is its endpoint, on loopback.
	URL string

	program *exec.Cmd
	ended   chan struct{} // closed once the program has ended
	front   *http.Server  // nil where clients talk to the program itself
}

// portTries is how often Start looks for a free port: between finding one and
// the program taking it, another process may.
const portTries = 3

// Start runs e until Stop is called or ctx is done, and returns once it
// answers. The error is a *NotInstalledError where e is not installed.
func (e Engine) Start(ctx context.Context, opt Options) (*Server, error) {
	if opt.Data != "" && e.memoryOnly {
		return nil, fmt.Errorf("%s keeps nothing in files", e.Name)
	}
	dir, err := e.installed()
	if err != nil {
		return nil, err
	}
	var failed error
	for range portTries {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		s, err := launch(e.command(ctx, dir, port, opt), port)
		if err == nil {
			return s, s.putInFront(e.front)
		}
		failed = fmt.Errorf("starting %s: %w", e.Name, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

// launch runs cmd and waits until it prints its address with the given port.
func launch(cmd *exec.Cmd, port int) (*Server, error) {
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	out := newOutput(address)
	cmd.Stdout, cmd.Stderr = out, out
	dieWithParent(cmd)

	s := &Server{URL: address, program: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// dieWithParent ties the program to this thread, which therefore must
		// last as long as the program. Never unlocked: the thread ends here.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is told by its output
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	select {
	case <-out.seen:
		return s, nil
	case <-s.ended:
		return nil, fmt.Errorf("it ended (%s), saying: %s", cmd.ProcessState, out)
	}
}

// putInFront has clients talk to handler(program) instead of to the program.
func (s *Server) putInFront(handler func(program *url.URL) http.Handler) error {
	if handler == nil {
		return nil
	}
	program, err := url.Parse(s.URL)
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	s.front = &http.Server{Handler: handler(program)}
	s.URL = "http://" + l.Addr().String()
	go func() { _ = s.front.Serve(l) }() // returns when Stop closes it
	return nil
}

// Stop ends the engine at once, as kill -9 does, and returns when it has ended.
// With Options.Data, what was acknowledged is in the folder.
func (s *Server) Stop() error {
	var err error
	if s.front != nil {
		err = s.front.Close()
	}
	select {
	case <-s.ended:
	default:
		_ = s.program.Process.Kill() // fails only where it has just ended
		<-s.ended
	}
	return err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
