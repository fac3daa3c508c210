package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the command told when this process is killed: nobody
// renews its lease any more.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }

// adopt makes us the parent of whatever the command leaves behind. Process 1 of
// a container often doesn't collect those that have ended, and then they seem
// to be there for ever.
func adopt() {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) //nolint:errcheck // old kernels: they are process 1's as ever
}

// collect collects the adopted ones of the command's group that have ended. The
// others are waited for: the command itself, and what a credential comes from.
func (p *process) collect() {
	for _, pid := range children() {
		if group, err := unix.Getpgid(pid); err == nil && group == p.cmd.Process.Pid && pid != group {
			reap(pid)
		}
	}
}

// adopted are the children that are still there, once the command isn't. One
// with a session of its own has left the terminal's, to stay when all is over.
func adopted() (there []int) {
	ours, _ := unix.Getsid(0)
	for again := true; again; { // one that ends leaves us its own children
		again, there = false, nil
		for _, pid := range children() {
			if reap(pid) {
				again = true
			} else if session, err := unix.Getsid(pid); err == nil && session == ours {
				there = append(there, pid)
			}
		}
	}
	return there
}

// children are the processes whose parent we are.
func children() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for word := range strings.FieldsSeq(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
