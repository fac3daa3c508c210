package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

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
