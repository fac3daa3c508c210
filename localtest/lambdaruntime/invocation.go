package lambdaruntime

import (
	"errors"
	"fmt"
	"sync"
)

// errNotDelivered ends an invocation whose process was gone before it could be
// given the event: another one can have it.
var errNotDelivered = errors.New("not delivered")

// FunctionError is what Lambda reports where the function failed: the function
// returned an error or panicked, its process ended, or it took too long.
type FunctionError struct {
	Type    string // such as errorString, Runtime.ExitError or Sandbox.Timedout
	Message string
	Payload []byte // the JSON that Lambda returns as the answer
}

// Error implements error.
func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// functionError is a failure that Lambda itself has found.
func functionError(kind, format string, args ...any) *FunctionError {
	message := fmt.Sprintf(format, args...)
	return &FunctionError{
		Type:    kind,
		Message: message,
		Payload: encode(map[string]string{"errorType": kind, "errorMessage": message}),
	}
}

// invocation is one event on its way.
type invocation struct {
	id    string
	event []byte

	once   sync.Once
	done   chan struct{} // closed when answer and err are set
	answer []byte
	err    error
}

func newInvocation(id string, event []byte) *invocation {
	return &invocation{id: id, event: event, done: make(chan struct{})}
}

// end gives the invocation its result. Only the first one counts.
func (inv *invocation) end(answer []byte, err error) {
	inv.once.Do(func() {
		inv.answer, inv.err = answer, err
		close(inv.done)
	})
}
