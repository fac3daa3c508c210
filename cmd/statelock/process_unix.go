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
	signaled bool // told to end
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

// heard notes that the command was told to end, if that is what a signal says.
func (p *process) heard(s os.Signal) { p.signaled = p.signaled || ends(s) }

// pass gives the command a signal that we got, unless it got it as we did.
func (p *process) pass(s os.Signal) {
	p.heard(s)
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
	p.heard(s)
	target := p.cmd.Process.Pid
	if p.own && (s == syscall.SIGINT || s == syscall.SIGKILL) {
		target = -target
	}
	syscall.Kill(target, s) //nolint:errcheck // one that has ended needs none
}

// sweep waits until what a command has left behind that was told to stop has
// ended too, and ends it if need be: the lock is released after that.
func (p *process) sweep(grace time.Duration, say func(string, ...any)) {
	if state := p.cmd.ProcessState; state != nil {
		status, _ := state.Sys().(syscall.WaitStatus)
		p.signaled = p.signaled || status.Signaled() // somebody else may have told it
	}
	if !p.signaled {
		return
	}
	left, start, told := p.left(), time.Now(), map[int]syscall.Signal{}
	if len(left) > 0 {
		say("the command has ended, but not all that it started: waiting")
	}
	// SIGKILL needs a moment to work. Who outlives that can't be ended.
	for ; len(left) > 0 && time.Since(start) < grace+5*time.Second; left = p.left() {
		s := syscall.SIGTERM
		if time.Since(start) >= grace {
			s = syscall.SIGKILL
		}
		for _, pid := range left {
			if told[pid] != s {
				told[pid] = s
				syscall.Kill(pid, s) //nolint:errcheck // left tells
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// left is what the command has started and is still there, as kill names it:
// the command's group or, where it shared ours, those that became our children.
func (p *process) left() []int {
	if !p.own {
		return adopted()
	}
	group := -p.cmd.Process.Pid
	reap(group) // who has ended, and is not collected, counts as there
	if errors.Is(syscall.Kill(group, 0), syscall.ESRCH) {
		return nil
	}
	return []int{group}
}

// reap collects a child of ours that has ended, or those of a group, and tells
// whether there was one.
func reap(which int) (found bool) {
	for {
		if pid, err := syscall.Wait4(which, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
			return found
		}
		found = true
	}
}
