//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// interrupts end a command of ours.
	interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM}
	// passed are the signals that run passes on.
	passed = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2}
)

// ends tells whether a signal ends a process that does not care.
func ends(s os.Signal) bool { return s != syscall.SIGUSR1 && s != syscall.SIGUSR2 }

// process is a running command.
type process struct {
	cmd   *exec.Cmd
	ended chan error
	// own is whether it has a process group of its own. It has one unless there
	// is a terminal, where it must stay in the group that may read from it.
	own      bool
	signaled bool
}

// start starts a command.
//
// In a group of its own, the command gets a signal that is sent to our whole
// group once, from us, and not twice: Terraform takes a second interrupt for an
// order to drop everything.
func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan error, 1), own: true}
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		tty.Close()
		p.own = false
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: p.own}
	dieWithParent(cmd.SysProcAttr)
	adopt()
	started := make(chan error, 1)
	go func() {
		// The signal at the parent's death is one at the thread's death.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.ended <- cmd.Wait()
		}
	}()
	return p, <-started
}

// pass gives the command a signal that we got, unless it got it as we did.
func (p *process) pass(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || (number == syscall.SIGINT || number == syscall.SIGQUIT) && foreground() {
		return // a key was pressed, and the terminal tells the whole group
	}
	p.signal(number)
}

// foreground tells whether our group is the one that the terminal's keys
// interrupt.
func foreground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// signal sends a signal. SIGINT goes to the whole group, as from a terminal, so
// that a command in a script is reached, and so does SIGKILL, so that nothing is
// left. The others are for the command itself to pass on: Terraform's plugins
// shall outlive a SIGTERM.
func (p *process) signal(s syscall.Signal) {
	p.signaled = true
	target := p.cmd.Process.Pid
	if p.own && (s == syscall.SIGINT || s == syscall.SIGKILL) {
		target = -target
	}
	syscall.Kill(target, s) //nolint:errcheck // one that has ended needs none
}

// sweep waits until what a command has left behind that was told to stop has
// ended too, and ends it if need be: the lock is released after that.
func (p *process) sweep(grace time.Duration, say func(string, ...any)) {
	if !p.own || !p.signaled {
		return
	}
	group := -p.cmd.Process.Pid
	left := func() bool {
		reap(group) // who has ended, and is not collected, counts as there
		return !errors.Is(syscall.Kill(group, 0), syscall.ESRCH)
	}
	if !left() {
		return
	}
	say("the command has ended, but not all that it started: waiting")
	syscall.Kill(group, syscall.SIGTERM) //nolint:errcheck // left tells
	for until := time.Now().Add(grace); left() && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	syscall.Kill(group, syscall.SIGKILL) //nolint:errcheck // nothing more can be done
}

// reap collects a child of ours that has ended, or those of a group.
func reap(which int) {
	for {
		if pid, err := syscall.Wait4(which, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
			return
		}
	}
}
