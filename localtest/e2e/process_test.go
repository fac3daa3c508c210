package e2e

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is for how long a test waits for what must come.
const patience = time.Minute

// process is a program in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	stdout bytes.Buffer // to be read when it has ended
	said   said         // standard output and standard error
	ended  chan struct{}
}

// start starts a program, which is killed with all that it has started when
// the test ends.
func start(t *testing.T, dir string, env []string, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), program, args...), ended: make(chan struct{})}
	p.said.more = make(chan struct{})
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stdout, p.cmd.Stderr = io.MultiWriter(&p.stdout, &p.said), &p.said
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		p.cmd.Wait() //nolint:errcheck // ProcessState tells
		p.said.close()
	}()
	t.Cleanup(func() { p.signalGroup(syscall.SIGKILL); <-p.ended })
	return p
}

// signal sends a signal to the program alone.
func (p *process) signal(s syscall.Signal) { syscall.Kill(p.cmd.Process.Pid, s) } //nolint:errcheck // what comes of it is checked

// signalGroup sends a signal to the program and what it has started.
func (p *process) signalGroup(s syscall.Signal) { syscall.Kill(-p.cmd.Process.Pid, s) } //nolint:errcheck // as above

// await waits until the process has said a text.
func (p *process) await(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		heard, more, over := p.said.sofar()
		switch {
		case strings.Contains(heard, text):
			return
		case over:
			t.Fatalf("%s ended without saying %q:\n%s", p.cmd, text, heard)
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("%s did not say %q in %s:\n%s", p.cmd, text, patience, heard)
		}
	}
}

// endsWithin waits for longer than others do.
func (p *process) endsWithin(t *testing.T, patience time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("%s did not end in %s", p.cmd, patience)
	}
}

// end waits until the process has ended, and gives its exit code, -1 for one
// that was killed, and what it has said.
func (p *process) end(t *testing.T) (code int, heard string) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		heard, _, _ := p.said.sofar()
		t.Fatalf("%s did not end in %s:\n%s", p.cmd, patience, heard)
	}
	heard, _, _ = p.said.sofar()
	return p.cmd.ProcessState.ExitCode(), heard
}

// works waits until the process has ended, which must be well.
func (p *process) works(t *testing.T) string {
	t.Helper()
	code, heard := p.end(t)
	if code != 0 {
		t.Fatalf("%s ended with %v:\n%s", p.cmd, p.cmd.ProcessState, heard)
	}
	return heard
}

// fails waits until the process has ended, which must be badly and with all of
// the texts said.
func (p *process) fails(t *testing.T, texts ...string) string {
	t.Helper()
	code, heard := p.end(t)
	if code == 0 {
		t.Fatalf("%s ended well:\n%s", p.cmd, heard)
	}
	for _, text := range texts {
		if !strings.Contains(plain(heard), text) {
			t.Errorf("%s did not say %q:\n%s", p.cmd, text, heard)
		}
	}
	return heard
}

// plain undoes the frame and the line breaks of error messages.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)), " ")
}

// said is what a process has said so far.
type said struct {
	mu   sync.Mutex
	text []byte
	more chan struct{} // closed when more is said, or no more will be
	over bool
}

func (s *said) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, text...)
	close(s.more)
	s.more = make(chan struct{})
	return len(text), nil
}

func (s *said) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	close(s.more)
	s.more = make(chan struct{})
}

func (s *said) sofar() (text string, more <-chan struct{}, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text), s.more, s.over
}
