//go:build unix && !linux

package main

import "syscall"

// dieWithParent does nothing: there is no such thing here.
func dieWithParent(*syscall.SysProcAttr) {}
