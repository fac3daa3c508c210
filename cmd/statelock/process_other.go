//go:build !unix

package main

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

var (
	interrupts = []os.Signal{os.Interrupt}
	passed     = []os.Signal{os.Interrupt}
)

func ends(os.Signal) bool { return true }

// process is a running command. Here it can be killed and nothing else: an
// interrupt from the keyboard reaches it as it reaches us.
type process struct {
	cmd   *exec.Cmd
	ended chan error
}

func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan error, 1)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- cmd.Wait() }()
	return p, nil
}

func (p *process) heard(os.Signal) {}

func (p *process) pass(os.Signal) {}

func (p *process) signal(s syscall.Signal) {
	if s == syscall.SIGKILL {
		p.cmd.Process.Kill() //nolint:errcheck // one that has ended needs none
	}
}

func (p *process) sweep(time.Duration, func(string, ...any)) {}

func (p *process) collect() {}
