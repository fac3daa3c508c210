package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() { programs["neglectful"] = neglectful }

// neglectful runs a command as a container's process 1 may: it becomes the
// parent of all orphans, and collects none.
func neglectful() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // for the command alone
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)     //nolint:errcheck // the test tells
	c := exec.CommandContext(context.Background(), os.Args[1], os.Args[2:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Run() //nolint:errcheck // the code tells
	os.Exit(c.ProcessState.ExitCode())
}

// terminal opens a pseudo-terminal: what a person types in at keys comes out of
// screen.
func terminal(t *testing.T) (keys, screen *os.File) {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys, screen
}

// startRunOnTerminal starts statelock run as a person does, and gives the keys.
func startRunOnTerminal(t *testing.T, s *service, args ...string) (w *wrapped, keys *os.File) {
	t.Helper()
	keys, screen := terminal(t)
	w = newRun(t, s, args...)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = screen, screen, screen
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	w.reap(t)
	go w.listen(keys)
	return w, keys
}

// On a terminal the command can ask its user, as Terraform does, and Ctrl-C
// interrupts it once: the terminal tells it already.
func TestRunOnTerminal(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w, keys := startRunOnTerminal(t, s, "--", "sh", "-c", "read answer; echo answered $answer; exec worker stubborn")
	w.await(t, "acquired prod")
	keys.WriteString("yes\n") //nolint:errcheck // await tells
	w.await(t, "answered yes")
	w.awaitWorker(t)
	keys.WriteString("\x03") //nolint:errcheck // await tells
	w.await(t, "got interrupt")
	// Had the wrapper passed the signal on, it would have done so by now: it
	// takes its signals in order.
	w.signal(t, syscall.SIGUSR2)
	if said := w.end(t, 0); strings.Contains(said, "got interrupt") {
		t.Errorf("interrupted twice:\n%s", said)
	}
	free(t, s)
}

// What a script has started does not work on after the lock is released, on a
// terminal either, however deep it is: whether the script is told by a signal or
// by a key, which what it runs in the background ignores.
func TestRunLeavesNothingBehindOnTerminal(t *testing.T) {
	t.Parallel()
	for _, how := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			w, keys := startRunOnTerminal(t, s, "--grace=300ms", "--", "sh", "-c", `sh -c 'trap "" INT; worker stubborn; :' & wait`)
			w.awaitWorker(t)
			if how == syscall.SIGINT {
				keys.WriteString("\x03") //nolint:errcheck // await tells
			} else {
				w.signal(t, how)
			}
			w.await(t, "not all that it started")
			w.await(t, "got terminated")
			w.await(t, "released prod")
			if err := syscall.Kill(w.worker, 0); err == nil {
				t.Error("it still works")
			}
			w.end(t, exitSignalled+int(how.(syscall.Signal)))
			free(t, s)
		})
	}
}

// What has ended is not waited for, whether or not process 1 collects it.
func TestRunCollectsWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := newRun(t, s, "--grace=1h", "--", "sh", "-c", "worker obedient; :")
	w.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), "neglectful", w.cmd.Args...)
	w.start(t)
	w.awaitWorker(t)
	if err := syscall.Kill(-w.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.await(t, "got terminated")
	w.await(t, "released prod")
	w.end(t, exitSignalled+int(syscall.SIGTERM))
	free(t, s)
}

// An orphan that ends while the command works on is collected.
func TestRunCollectsOrphans(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := wrap(t, s, "--", "sh", "-c", "(worker obedient &); exec sleep 1000")
	if err := syscall.Kill(w.worker, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); syscall.Kill(w.worker, 0) == nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("still there, as a zombie")
		}
	}
	w.signal(t, syscall.SIGTERM)
	w.end(t, exitSignalled+int(syscall.SIGTERM))
	free(t, s)
}
