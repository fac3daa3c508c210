//go:build unix && !linux

package main

import "syscall"

// dieWithParent does nothing: there is no such thing here.
func dieWithParent(*syscall.SysProcAttr) {}

// adopt does nothing: process 1 gets what the command leaves behind.
func adopt() {}

func (p *process) collect() {}

func adopted() []int { return nil }
