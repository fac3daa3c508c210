package torture

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
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

	cmd *exec.Cmd
	at  chan string // holds host:port while there is a server
}

// start starts a server for the first time.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, args: args, at: make(chan string, 1)}
	p.again()
	t.Cleanup(p.kill)
	return p
}

var listening = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)

// again starts the server and waits until it says where it listens.
func (p *process) again() {
	p.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(p.t.Context()), p.args[0], p.args[1:]...)
	log, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s ended before it served: %v; last said %s", filepath.Base(p.args[0]), err, line)
		}
		if at := listening.FindStringSubmatch(line); at != nil {
			p.cmd = cmd
			p.at <- at[1]
			break
		}
	}
	go io.Copy(io.Discard, lines) //nolint:errcheck // ends with the process
}

// kill kills the server, and returns when it is gone.
func (p *process) kill() {
	<-p.at
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		p.t.Error(err)
	}
	_ = p.cmd.Wait() // says that it was killed
}

// transport sends requests to where the server is when they are sent.
func (p *process) transport() http.RoundTripper {
	direct := &http.Transport{}
	p.t.Cleanup(direct.CloseIdleConnections)
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		to, err := p.where(r.Context())
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

// where is the server's address; it waits until there is one.
func (p *process) where(ctx context.Context) (string, error) {
	select {
	case at := <-p.at:
		p.at <- at
		return at, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
