package torture

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
)

// binaries builds commands of the project and gives the folder they are in.
func binaries(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"build", "-o", dir}, packages...)
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// process is a server that is killed and started again, at another address each
// time.
type process struct {
	t    *testing.T
	args []string
	cmd  *exec.Cmd

	mu      sync.Mutex
	address string        // host:port, "" while there is no server
	up      chan struct{} // closed when there is one again
}

// start starts a server for the first time.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, args: args, up: make(chan struct{})}
	p.again()
	t.Cleanup(p.kill)
	return p
}

var listening = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)

// again starts the server and waits until it says where it listens.
func (p *process) again() {
	p.t.Helper()
	p.cmd = exec.CommandContext(context.WithoutCancel(p.t.Context()), p.args[0], p.args[1:]...)
	log, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	var address []string
	for address == nil {
		line, err := lines.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s ended before it served: %v; last said %s", filepath.Base(p.args[0]), err, line)
		}
		address = listening.FindStringSubmatch(line)
	}
	go io.Copy(io.Discard, lines) //nolint:errcheck // ends with the process
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address = address[1]
	close(p.up)
}

// kill kills the server, and returns when it is gone.
func (p *process) kill() {
	p.mu.Lock()
	p.address, p.up = "", make(chan struct{})
	p.mu.Unlock()
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		p.t.Error(err)
	}
	_ = p.cmd.Wait() // says that it was killed
}

// transport sends requests to where the server is when they are sent. While
// there is none they wait, or fail if they are not patient.
func (p *process) transport(patient bool) http.RoundTripper {
	direct := &http.Transport{}
	p.t.Cleanup(direct.CloseIdleConnections)
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		to, err := p.where(r.Context(), patient)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.URL.Host, r.Host = to, to
		return direct.RoundTrip(r)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// where is the server's address.
func (p *process) where(ctx context.Context, patient bool) (string, error) {
	for {
		p.mu.Lock()
		address, up := p.address, p.up
		p.mu.Unlock()
		switch {
		case address != "":
			return address, nil
		case !patient:
			return "", syscall.ECONNREFUSED
		}
		select {
		case <-up:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
