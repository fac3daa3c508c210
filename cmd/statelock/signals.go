package main

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveReader makes writing to a reader that is gone an error, where it would
// end the process: somebody who holds a lock has to release it. A command that
// is run dies of it as ever.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
