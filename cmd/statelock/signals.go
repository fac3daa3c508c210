package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// outliveReader makes writing to a reader that is gone an error, where it would
// end the process: somebody who holds a lock has to release it. A command that
// is run dies of it as ever.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// echoes are how signals are told from their echoes: GNU timeout, among others,
// signals us and then our whole group. Terraform drops everything at the second.
type echoes map[os.Signal]time.Time

// have tells whether a signal that comes at a time is an echo of one that came
// shortly before.
func (e echoes) have(s os.Signal, at time.Time) bool {
	const shortly = 250 * time.Millisecond
	last, came := e[s]
	if came && at.Sub(last) < shortly {
		return true
	}
	e[s] = at
	return false
}
