// Package client takes and keeps locks of a statelock service.
//
//	c, err := client.New("https://locks.example.com", client.Options{Credentials: client.Bearer(token)})
//	lock, err := c.Acquire(ctx, client.Request{Workspace: "prod", Runner: "jane@laptop", Lease: time.Minute})
//	defer lock.Release(ctx)
//	select {
//	case <-lock.Lost(): // stop: somebody else may be let in
//	case <-work:
//	}
//
// # Lost replies
//
// Every request has an id of its own, which all its tries repeat, and every
// acquisition a lock id that the client has made, so the service tells a second
// try from a second request. Tries go on until the service gives its verdict or
// patience ends; then the error is an *UnreachableError, and says whether the
// request may have been applied.
//
// # Belief
//
// A Lock with a lease is renewed in the background, each time after about a
// third of the lease. An outage shorter than what is left of the lease goes by
// unnoticed.
//
// The client believes in its lock no longer than it knows: until the lease as
// granted is over, counted by its own monotonic clock from when the request
// that got it was sent. That moment is never later than the service's. Then, or
// as soon as the service refuses a renewal, Lost is closed for good.
//
// The monotonic clock of most systems stands still while the machine is
// suspended, and the belief with it. A machine that wakes learns of its loss
// from the answer to its next renewal.
//
// # Waiting
//
// The service keeps no queue. Waiters ask again after a pause of half to one and
// a half times Options.Poll, so none asks more often than every half Poll, and
// waiters that began together drift apart. Who comes first is left to chance.
package client
