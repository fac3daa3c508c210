package main

import "syscall"

// dieWithParent has the command told when this process is killed: nobody
// renews its lease any more.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGTERM }
