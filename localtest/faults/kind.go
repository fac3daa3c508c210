package faults

import "fmt"

// Kind is a kind of fault.
type Kind uint8

const (
	// None: the request is delivered and answered.
	None Kind = iota
	// LoseRequest: the request is never delivered; the caller times out.
	LoseRequest
	// LoseReply: the request is delivered, its reply is not; the caller times
	// out.
	LoseReply
	// Duplicate: the request is delivered twice at the same time; one of the
	// replies is the caller's.
	Duplicate
	// LateCopy: the request is delivered and answered, and a copy of it is
	// delivered after other requests.
	LateCopy
	// LateDelivery: the caller times out, and the request is delivered after
	// other requests, when nobody waits for its reply.
	LateDelivery
	// Reset: the connection breaks, before or after the request was delivered.
	Reset
	// ServerError: the answer is status 500, whether the request was delivered
	// or not.
	ServerError
	// Throttle: the request is refused for being one too many.
	Throttle
	// Slow: the request is delivered after other requests, while its caller
	// waits.
	Slow

	numKinds = iota
)

var kindNames = [numKinds]string{
	None:         "none",
	LoseRequest:  "lose-request",
	LoseReply:    "lose-reply",
	Duplicate:    "duplicate",
	LateCopy:     "late-copy",
	LateDelivery: "late-delivery",
	Reset:        "reset",
	ServerError:  "server-error",
	Throttle:     "throttle",
	Slow:         "slow",
}

// Kinds lists the kinds of faults, without None.
func Kinds() []Kind {
	kinds := make([]Kind, 0, numKinds-1)
	for k := None + 1; k < numKinds; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String is the kind's name in reports.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}
