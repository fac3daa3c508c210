package main

import (
	"fmt"
	"io"
	"time"
)

// sayer gives a function that tells a person, or a program, what goes on.
func sayer(w io.Writer, asJSON bool) func(string, ...any) {
	return func(format string, a ...any) {
		text := fmt.Sprintf(format, a...)
		if asJSON {
			printJSON(w, map[string]string{"time": time.Now().UTC().Format(time.RFC3339), "msg": text}) //nolint:errcheck // as Fprintln
			return
		}
		fmt.Fprintln(w, "statelock: "+text)
	}
}

// patient says one thing after another, and waits no longer than a second for
// each: a reader that has stalled must not hold up what is done meanwhile.
// finish waits until all is said.
func patient(say func(string, ...any)) (_ func(string, ...any), finish func()) {
	last := make(chan struct{})
	close(last)
	return func(format string, a ...any) {
		before, said := last, make(chan struct{})
		last = said
		go func() {
			<-before
			say(format, a...)
			close(said)
		}()
		select {
		case <-said:
		case <-time.After(time.Second):
		}
	}, func() { <-last }
}
