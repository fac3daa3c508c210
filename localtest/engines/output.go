package engines

import (
	"bytes"
	"sync"
)

// output takes what a program prints: it notices a text to wait for and keeps
// the last part for an error message.
type output struct {
	want []byte
	seen chan struct{} // closed once want was printed

	mu   sync.Mutex
	tail []byte
	done bool
}

// outputKept is how much of a program's last output is kept, in bytes: a
// traceback of moto, or a whole startup message of the others.
const outputKept = 4 << 10

func newOutput(want string) *output {
	return &output{want: []byte(want), seen: make(chan struct{})}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tail = append(o.tail, p...)
	if !o.done && bytes.Contains(o.tail, o.want) {
		o.done = true
		close(o.seen)
	}
	if extra := len(o.tail) - outputKept; extra > 0 {
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(bytes.TrimSpace(o.tail))
}
