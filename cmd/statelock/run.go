package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockapi"
)

// runOptions are the flags of run.
type runOptions struct {
	service serviceOptions
	hold    acquireOptions
	grace   time.Duration
	say     func(format string, a ...any)
}

func runCommand() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run --ws WORKSPACE [flags] -- COMMAND [ARGUMENT]...",
		Short: "Run a command while holding a lock",
		Long: `Run a command while holding a lock, and release the lock however it ends.

The lock has a lease that is renewed in the background; an outage of the service
that is shorter than the lease goes by unnoticed. If the lock is lost, the command
gets SIGINT, after --grace SIGTERM, after --grace again SIGKILL, and the exit code
is 6. Otherwise it is the command's own, or 128 and the number of the signal that
ended it.

Signals are passed to the command. Its environment has STATELOCK_LOCK_ID and
STATELOCK_FENCE.`,
		Example: `  statelock run --ws prod --wait 10m -- terraform apply -auto-approve`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which command? statelock run --ws prod -- terraform apply")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			say, finish := patient(sayer(c.ErrOrStderr(), o.service.json))
			defer finish() // the lock is released by then
			o.say = say
			return o.run(c, args)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // what follows the command is the command's
	workspaceFlag(c, &o.hold.ws)
	o.hold.flags(f, time.Minute)
	f.DurationVar(&o.grace, "grace", 30*time.Second, "when the lock is lost: how long after SIGINT to send SIGTERM, and after that SIGKILL")
	o.service.flags(f)
	return c
}

// run acquires, runs the command and releases.
func (o runOptions) run(c *cobra.Command, command []string) error {
	if o.hold.lease < lockapi.MinLease {
		return usageError{fmt.Errorf("--lease: run needs one of %s at least", lockapi.MinLease)}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		code := exitNotRunnable
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			code = exitNotFound
		}
		return exitError{code, err}
	}
	cl, err := o.service.connect(c)
	if err != nil {
		return err
	}
	outliveReader()
	signals := make(chan os.Signal, 16)
	for _, s := range passed {
		// To ask for what nohup has ignored, or a shell for what it runs in the
		// background, would undo that, for the command too.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)

	lock, err := o.acquire(c.Context(), cl, signals)
	if err != nil {
		return err
	}
	o.say("acquired %s, lock id %s, fence %d", lock.Workspace(), lock.ID(), lock.Fence())
	ran := o.supervise(lock, path, command, signals)
	lost := lock.Err()
	o.release(c.Context(), lock)
	if lost != nil {
		o.say("%v", lost)
		return exitError{code: exitLost}
	}
	return ran
}

// acquire waits for the lock until a signal comes.
func (o runOptions) acquire(ctx context.Context, cl *client.Client, signals <-chan os.Signal) (*client.Lock, error) {
	under, cancel := context.WithCancel(ctx)
	var by os.Signal
	var listening sync.WaitGroup
	listening.Go(func() {
		defer cancel()
		for by == nil {
			select {
			case s := <-signals:
				if ends(s) {
					by = s
				}
			case <-under.Done():
				return
			}
		}
	})
	lock, err := cl.Acquire(under, o.hold.request(o.say))
	cancel()
	listening.Wait()
	if by == nil {
		return lock, err
	}
	if err == nil { // it came too late to end the waiting
		o.release(ctx, lock)
	}
	number, _ := by.(syscall.Signal)
	return nil, exitError{exitSignalled + int(number), errors.New(by.String())}
}

// release frees the lock. It takes --timeout at most, and heeds no signal: what
// has ended the command may come twice.
func (o runOptions) release(ctx context.Context, lock *client.Lock) {
	if err := lock.Release(ctx); err != nil {
		o.say("not released: %v", err)
		return
	}
	o.say("released %s", lock.Workspace())
}

// supervise runs the command until it ends. The error asks for its exit code.
func (o runOptions) supervise(lock *client.Lock, path string, command []string, signals <-chan os.Signal) error {
	cmd := &exec.Cmd{
		Path: path, Args: command, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: append(os.Environ(), "STATELOCK_LOCK_ID="+lock.ID(), "STATELOCK_FENCE="+strconv.FormatInt(lock.Fence(), 10)),
	}
	p, err := start(cmd)
	if err != nil {
		return exitError{exitNotRunnable, err}
	}
	lost := lock.Lost()
	var next <-chan time.Time // to the next harder signal, once the lock is lost
	harder := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
	stop := func() {
		s := harder[0]
		p.signal(s)
		if harder = harder[1:]; len(harder) > 0 {
			next = time.After(o.grace)
		} else {
			next = nil
		}
		o.say("%v: sending %v", lock.Err(), s)
	}
	echoes := echoes{}
	orphans := time.NewTicker(5 * time.Second)
	defer orphans.Stop()
	for {
		select {
		case s := <-signals:
			if !echoes.have(s, time.Now()) {
				p.pass(s)
			}
		case <-orphans.C:
			p.collect()
		case <-lost:
			lost = nil
			stop()
		case <-next:
			stop()
		case err := <-p.ended:
			for len(signals) > 0 { // a key that has ended it
				p.heard(<-signals)
			}
			p.sweep(o.grace, o.say)
			return ended(err)
		}
	}
}

// ended gives the exit code of a command as the shell would.
func ended(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitError{code: exitSignalled + int(status.Signal())}
	}
	return exitError{code: exit.ExitCode()}
}
