package client

import (
	"errors"
	"fmt"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// HeldError is the refusal of a request that a hold stands in the way of:
// somebody else has the lock, or the holder's lease is live.
type HeldError struct {
	Op     string
	Code   lockmodel.Code
	Reason string // a sentence of the service, for a person
	Holder View   // the lock as it stands
}

func (e *HeldError) Error() string { return e.Op + " refused: " + e.Reason }

// RefusedError is any other refusal: by the state of the lock, for what the
// request asks, or for who asks.
type RefusedError struct {
	Op     string
	Status int // HTTP's
	Code   lockmodel.Code
	Reason string // a sentence of the service, for a person
	Field  string // which field of the request is unusable, if one is
	Lock   View   // the lock as it stands, where the refusal is about it
}

func (e *RefusedError) Error() string { return e.Op + " refused: " + e.Reason }

// UnreachableError tells that no verdict came from the service.
type UnreachableError struct {
	Op string
	// Unsure is whether the request may have been applied: some try may have
	// reached the service.
	Unsure bool
	// Err is what became of the last try, or why there was no other.
	Err error
}

func (e *UnreachableError) Error() string {
	if e.Unsure && !slices.Contains([]string{opStatus, opList, opHistory, opVersions, opState}, e.Op) {
		return fmt.Sprintf("%s: no answer from the service; it may have been done: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s: no answer from the service: %v", e.Op, e.Err)
}

// Unwrap gives Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// ErrLeaseOver is why a lock is lost whose lease could not be renewed in time.
var ErrLeaseOver = errors.New("the lease is over and could not be renewed in time")

// LostError is why a lock is lost: Err is ErrLeaseOver, or the service's
// refusal to renew.
type LostError struct {
	Workspace string
	LockID    string
	Err       error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the lock of %s is lost: %v", e.Workspace, e.Err)
}

// Unwrap gives Err.
func (e *LostError) Unwrap() error { return e.Err }

// refusal makes an error of a verdict against the request.
func refusal(op string, status int, a lockmodel.Answer, field string) error {
	inTheWay := false
	switch a.Code {
	case lockmodel.CodeHeld, lockmodel.CodeLeaseLive, lockmodel.CodeNotHolder:
		inTheWay = true
	case lockmodel.CodeStale:
		inTheWay = op == opAcquire
	case lockmodel.CodeNotStale:
		inTheWay = a.Lock.State == lockmodel.Held
	}
	if inTheWay {
		return &HeldError{Op: op, Code: a.Code, Reason: a.Reason, Holder: a.Lock}
	}
	return &RefusedError{Op: op, Status: status, Code: a.Code, Reason: a.Reason, Field: field, Lock: a.Lock}
}
