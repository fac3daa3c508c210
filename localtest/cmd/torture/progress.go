package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/statelock/statelock/localtest/torture"
)

// progress is a line that tells how far things are: rewritten in place on a
// terminal, and written anew now and then elsewhere.
type progress struct {
	to       io.Writer
	terminal bool
	start    time.Time
	next     time.Time // when to write again
}

func newProgress(to io.Writer) *progress {
	p := &progress{to: to, start: time.Now()}
	if f, ok := to.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// show takes in how far things are.
func (p *progress) show(r torture.Report) {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	pause, begin, end := 10*time.Second, "", "\n"
	if p.terminal {
		pause, begin, end = time.Second/4, "\r\x1b[K", ""
	}
	p.next = now.Add(pause)
	faults := int64(0)
	for _, n := range r.Faults {
		faults += n
	}
	took := now.Sub(p.start)
	fmt.Fprintf(p.to, "%s%s: %d seeds, %d requests (%.0f/s), %d faults, %d violations%s",
		begin, took.Round(time.Second), r.Seeds, r.Requests, float64(r.Requests)/took.Seconds(), faults, len(r.Violations), end)
}

// end leaves the line.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprintln(p.to)
	}
}
