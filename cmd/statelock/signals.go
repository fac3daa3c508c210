package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// heeded leaves out the signals that whoever started us has ignored, as nohup
// does, and a shell for what it runs in the background. To ask for them would
// undo that, for a command of ours too.
func heeded(signals []os.Signal) []os.Signal {
	return slices.DeleteFunc(slices.Clone(signals), signal.Ignored)
}

// outliveReader makes writing to a reader that is gone an error, where it would
// end the process: somebody who holds a lock has to release it. A command that
// is run dies of it as ever.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
