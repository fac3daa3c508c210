package main

import (
	"bufio"
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
	t.Cleanup(func() { keys.Close() })
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	return keys, screen
}

// On a terminal the command can ask its user, as Terraform does, and Ctrl-C
// interrupts it once: the terminal tells it already.
func TestRunOnTerminal(t *testing.T) {
	t.Parallel()
	s := newService(t)
	keys, screen := terminal(t)
	c := exec.CommandContext(context.WithoutCancel(t.Context()), "statelock", "run", "--url="+s.url, "--ws=prod", "--",
		"sh", "-c", "read answer; echo answered $answer; exec worker stubborn")
	c.Stdin, c.Stdout, c.Stderr = screen, screen, screen
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said, lines := "", bufio.NewReader(keys)
	await := func(text string) {
		t.Helper()
		for mark := len(said); !strings.Contains(said[mark:], text); {
			line, err := lines.ReadString('\n')
			if said += line; err != nil {
				t.Fatalf("%v; said:\n%s", err, said)
			}
		}
	}
	await("acquired prod")
	keys.WriteString("yes\n") //nolint:errcheck // await tells
	await("answered yes")
	await("ready")
	keys.WriteString("\x03") //nolint:errcheck // await tells
	await("got interrupt")
	// Had the wrapper passed the signal on, it would have done so by now: it
	// takes its signals in order.
	if err := c.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	await("released prod")
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Count(said, "got interrupt") != 1 {
		t.Errorf("said:\n%s", said)
	}
	free(t, s)
}

// What has ended is not waited for, whether or not process 1 collects it.
func TestRunCollectsWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	w := startRunBy(t, s, []string{"neglectful"}, "--grace=1h", "--", "sh", "-c", "worker obedient; :")
	w.await(t, "ready")
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
