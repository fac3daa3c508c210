package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// wrapped is a statelock run with what it and its command say.
type wrapped struct {
	cmd    *exec.Cmd
	lines  chan string
	worker int // its process id
}

// wrap starts statelock run for the workspace prod, with the shortest lease,
// in a session without a terminal, and waits until the worker is ready.
func wrap(t *testing.T, s *service, args ...string) *wrapped {
	t.Helper()
	w := startRun(t, s, args...)
	w.awaitWorker(t)
	return w
}

func startRun(t *testing.T, s *service, args ...string) *wrapped {
	t.Helper()
	w := newRun(t, s, args...)
	w.start(t)
	return w
}

func newRun(t *testing.T, s *service, args ...string) *wrapped {
	args = append([]string{"run", "--url=" + s.url, "--ws=prod", "--lease=" + lockapi.MinLease.String()}, args...)
	return &wrapped{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), "statelock", args...), lines: make(chan string, 1000)}
}

// start starts it. What is said on standard error is taken down unless that
// goes elsewhere.
func (w *wrapped) start(t *testing.T) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	w.cmd.Stdout = in
	if w.cmd.Stderr == nil {
		w.cmd.Stderr = in
	}
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.reap(t)
	go w.listen(out)
}

// reap has it end with the test.
func (w *wrapped) reap(t *testing.T) {
	t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			w.cmd.Process.Kill() //nolint:errcheck // it may have ended
			w.cmd.Wait()         //nolint:errcheck // killed
		}
	})
}

// listen takes down what is said until nobody is left who could say something.
func (w *wrapped) listen(out *os.File) {
	defer close(w.lines)
	defer out.Close()
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		w.lines <- strings.TrimRight(line, "\r\n")
	}
}

// await reads lines until one has the text in it.
func (w *wrapped) await(t *testing.T, text string) string {
	t.Helper()
	patience := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				t.Fatalf("ended without saying %q", text)
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-patience:
			t.Fatalf("waited in vain for %q", text)
		}
	}
}

// awaitID waits for a process id after a word.
func (w *wrapped) awaitID(t *testing.T, word string) int {
	t.Helper()
	line := w.await(t, word)
	id, err := strconv.Atoi(strings.TrimPrefix(line, word))
	if err != nil {
		t.Fatalf("no process id: %q", line)
	}
	return id
}

// awaitWorker waits until the worker is ready.
func (w *wrapped) awaitWorker(t *testing.T) {
	t.Helper()
	w.worker = w.awaitID(t, "ready ")
	t.Cleanup(func() { syscall.Kill(w.worker, syscall.SIGKILL) }) //nolint:errcheck // most have ended
}

func (w *wrapped) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// end waits until all has ended, checks the exit code and gives what was said
// since.
func (w *wrapped) end(t *testing.T, code int) string {
	t.Helper()
	w.cmd.Wait() //nolint:errcheck // the code tells
	if got := w.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("ended with %v, want code %d", w.cmd.ProcessState, code)
	}
	var said strings.Builder
	for line := range w.lines { // until nobody is left who could say something
		said.WriteString(line + "\n")
	}
	return said.String()
}

// A signal to the wrapper reaches the command, once, and its exit code comes
// back.
func TestRunPassesSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 40}, {syscall.SIGTERM, 40}, {syscall.SIGUSR2, 0}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			w := wrap(t, s, "--", "worker", "obedient")
			w.signal(t, syscall.SIGHUP)
			w.await(t, "got hangup")
			w.signal(t, syscall.SIGUSR1)
			w.await(t, "got user defined signal 1")
			w.signal(t, c.signal)
			if said := w.end(t, c.code); strings.Count(said, "got ") != 1 || !strings.Contains(said, "got "+c.signal.String()) {
				t.Errorf("said:\n%s", said)
			}
			free(t, s)
		})
	}
}

// A signal to the whole group, as a CI runner sends it, reaches the command
// once as well: Terraform drops everything at the second.
func TestRunGroupSignalIsPassedOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "worker", "stubborn")
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	w.await(t, "got interrupt")
	w.signal(t, syscall.SIGUSR2)
	if said := w.end(t, 0); strings.Contains(said, "got interrupt") {
		t.Errorf("interrupted twice:\n%s", said)
	}
	free(t, s)
}

// The same where a signal comes to us and then to the group, as from GNU timeout.
func TestRunSignalAndItsEchoArePassedOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "worker", "stubborn")
	start := time.Now()
	w.signal(t, syscall.SIGTERM)
	w.await(t, "got terminated")
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.signal(t, syscall.SIGINT)
	first := w.await(t, "got ")
	if time.Since(start) < 250*time.Millisecond && first != "got interrupt" { // a machine too busy for that proves nothing
		t.Errorf("%s twice", first)
	}
	w.signal(t, syscall.SIGUSR2)
	w.end(t, 0)
	free(t, s)
}

// A command that is told to end and doesn't keeps its lock.
func TestRunWaitsForCommandThatIgnoresSignals(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "worker", "stubborn")
	w.signal(t, syscall.SIGTERM)
	w.await(t, "got terminated")
	w.signal(t, syscall.SIGINT)
	w.await(t, "got interrupt")
	drain(s.done["/v1/renew"])
	<-s.done["/v1/renew"] // it is still kept
	if v := s.status(t); v.State != lockmodel.Held {
		t.Errorf("while it works: %+v", v)
	}
	w.signal(t, syscall.SIGUSR2)
	w.end(t, 0)
	free(t, s)
}

// The wrapper is killed: the command is told, the lock is held until its lease
// is over, and then the legal way is open.
// https://github.com/hashicorp/terraform/issues/15429
func TestRunKilled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "worker", "obedient")
	v := s.status(t)
	w.signal(t, syscall.SIGKILL)
	if said := w.end(t, -1); !strings.Contains(said, "got terminated") && runtime.GOOS == "linux" {
		t.Errorf("the command was not told:\n%s", said)
	}
	_, err := s.MarkStale(t.Context(), client.Hold{Workspace: "prod", LockID: v.LockID}, "")
	if held, ok := errors.AsType[*client.HeldError](err); !ok || held.Code != lockmodel.CodeLeaseLive {
		t.Errorf("mark stale at once: %v", err)
	}
	second := wrap(t, s, "--wait=30s", "--take-lapsed", "--", "worker", "obedient")
	if after := s.status(t); after.Fence != v.Fence+1 {
		t.Errorf("taken: %+v", after)
	}
	second.signal(t, syscall.SIGTERM)
	second.end(t, 40)
	free(t, s)
}

// The wrapper sleeps longer than its lease, and somebody marks the lock stale
// (frees it, takes it): it wakes, learns of it, and stops its command.
// https://github.com/opentofu/opentofu/issues/1222
func TestRunWokenAfterItsLease(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run("taken="+strconv.FormatBool(taken), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			w := wrap(t, s, "--", "worker", "obedient")
			h := client.Hold{Workspace: "prod", LockID: s.status(t).LockID}
			w.signal(t, syscall.SIGSTOP)
			for err := errors.New("not yet"); err != nil; time.Sleep(50 * time.Millisecond) {
				_, err = s.MarkStale(t.Context(), h, "")
			}
			var other *client.Lock
			if taken {
				_, err := s.ForceUnlock(t.Context(), h, "")
				if err == nil {
					other, err = s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "jane"})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			w.signal(t, syscall.SIGCONT)
			if said := w.end(t, exitLost); !strings.Contains(said, "got interrupt") || !strings.Contains(said, "the lock of prod is lost") {
				t.Errorf("said:\n%s", said)
			}
			if taken {
				if v := s.status(t); v.LockID != other.ID() {
					t.Errorf("the next holder's lock: %+v", v)
				}
				return
			}
			free(t, s)
		})
	}
}

// An outage of half a lease goes by unnoticed.
func TestRunOutageOfHalfALease(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "worker", "obedient")
	<-s.done["/v1/renew"]
	s.setDown(true)
	time.Sleep(lockapi.MinLease / 2)
	drain(s.done["/v1/renew"])
	s.setDown(false)
	<-s.done["/v1/renew"]
	<-s.done["/v1/renew"]
	w.signal(t, syscall.SIGUSR2)
	if said := w.end(t, 0); strings.Contains(said, "got interrupt") {
		t.Errorf("said:\n%s", said)
	}
	free(t, s)
}

// An outage longer than the lease: the command gets SIGINT, then SIGTERM, then
// SIGKILL.
func TestRunOutageLongerThanLease(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--grace=300ms", "--timeout=1s", "--", "worker", "stubborn")
	s.setDown(true)
	w.await(t, "the lease is over and could not be renewed in time: sending interrupt")
	w.await(t, "sending terminated")
	w.await(t, "sending killed")
	if said := w.end(t, exitLost); !strings.Contains(said, "not released: release: no answer from the service") {
		t.Errorf("said:\n%s", said)
	}
}

// A reader that has stalled keeps no command from being stopped, and no lock
// from being released.
func TestRunWhileItsReaderStalls(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		t.Run("lost="+strconv.FormatBool(lost), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			out, in, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			in.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) //nolint:errcheck // the next would not return
			for err == nil {
				_, err = in.Write(make([]byte, 4096))
			}
			w := newRun(t, s, "--grace=300ms", "--timeout=1s", "--", "worker", "stubborn")
			w.cmd.Stderr = in
			w.start(t)
			in.Close()
			w.awaitWorker(t)
			code := 0
			if lost {
				code = exitLost
				s.setDown(true)
				w.await(t, "got interrupt")
				w.await(t, "got terminated")
			} else {
				w.signal(t, syscall.SIGUSR2)
				<-s.done["/v1/release"]
			}
			go io.Copy(io.Discard, out) //nolint:errcheck // reads until all has ended
			w.end(t, code)
		})
	}
}

// The signals of a loss are those that were promised.
func TestRunLostSignals(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--grace=300ms", "--", "worker", "stubborn")
	if _, err := s.Release(t.Context(), client.Hold{Workspace: "prod", LockID: s.status(t).LockID}); err != nil {
		t.Fatal(err)
	}
	w.await(t, "got interrupt")
	w.await(t, "got terminated")
	w.end(t, exitLost)
	free(t, s)
}

// Whichever reply is lost, there is one hold, it lasts, and it ends.
func TestRunLostReplies(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/acquire", "/v1/renew", "/v1/release"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.loseReplies(path, 2)
			w := wrap(t, s, "--", "worker", "obedient")
			for n := 0; n < 2 || path == "/v1/renew" && !s.lost(path); n++ {
				<-s.done["/v1/renew"]
			}
			if v := s.status(t); v.State != lockmodel.Held || v.Fence != 1 {
				t.Errorf("while it works: %+v", v)
			}
			w.signal(t, syscall.SIGUSR2)
			if said := w.end(t, 0); !strings.Contains(said, "released prod") || !s.lost(path) {
				t.Errorf("said:\n%s", said)
			}
			free(t, s)
		})
	}
}

// What a script has started does not work on after the lock is released.
func TestRunLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--grace=300ms", "--", "sh", "-c", "worker stubborn; :")
	w.signal(t, syscall.SIGTERM) // ends sh alone
	w.await(t, "not all that it started")
	w.await(t, "got terminated")
	w.end(t, exitSignalled+int(syscall.SIGTERM))
	free(t, s)
}

// The same where the signal was for the command alone.
func TestRunLeavesNothingBehindOfKilledCommand(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := startRun(t, s, "--grace=300ms", "--", "sh", "-c", "echo shell $$; worker stubborn; :")
	shell := w.awaitID(t, "shell ")
	w.awaitWorker(t)
	if err := syscall.Kill(shell, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.await(t, "got terminated")
	w.end(t, exitSignalled+int(syscall.SIGKILL))
	free(t, s)
}

// What a command leaves behind that was never told to end is left alone.
func TestRunLeavesWhatIsMeantToStay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "sh", "-c", "trap 'exit 0' USR1; worker stubborn & wait")
	w.signal(t, syscall.SIGUSR1)
	w.await(t, "released prod")
	w.cmd.Wait() //nolint:errcheck // the code tells
	if err := syscall.Kill(w.worker, syscall.SIGUSR2); err != nil {
		t.Error(err)
	}
	if said := w.end(t, 0); strings.Contains(said, "got terminated") {
		t.Errorf("told to end:\n%s", said)
	}
	free(t, s)
}

// A waiter says whom it waits for, and an interrupt ends the waiting.
func TestRunInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if _, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "jane"}); err != nil {
		t.Fatal(err)
	}
	w := startRun(t, s, "--wait=1h", "--", "worker", "obedient")
	w.await(t, "held by jane for ")
	w.signal(t, syscall.SIGINT)
	if said := w.end(t, exitSignalled+int(syscall.SIGINT)); strings.Contains(said, "ready") {
		t.Errorf("said:\n%s", said)
	}
	if v := s.status(t); v.Owner != "jane" {
		t.Errorf("after it: %+v", v)
	}
}

// Input and output are the command's own.
func TestRunPipes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := exec.CommandContext(t.Context(), "statelock", "run", "--url="+s.url, "--ws=prod", "--", "cat")
	c.Stdin = strings.NewReader("through and through")
	c.Stderr = io.Discard
	if out, err := c.Output(); err != nil || string(out) != "through and through" {
		t.Errorf("%q, %v", out, err)
	}
	free(t, s)
}

// A reader that has gone away is no reason to leave the lock. The command ends
// by it as it would by itself.
func TestRunOutlivesItsReader(t *testing.T) {
	t.Parallel()
	s := newService(t)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.Close()
	c := exec.CommandContext(t.Context(), "statelock", "run", "--url="+s.url, "--ws=prod", "--", "sh", "-c", "echo to nobody >&2; exit 7")
	c.Stderr = in
	c.Run() //nolint:errcheck // the code tells
	if c.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGPIPE) {
		t.Errorf("ended with %v", c.ProcessState)
	}
	free(t, s)
}

// drain forgets what has been counted.
func drain(c <-chan struct{}) {
	for {
		select {
		case <-c:
		default:
			return
		}
	}
}
