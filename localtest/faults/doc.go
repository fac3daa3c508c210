// Package faults is a bad network. An Injector is an http.RoundTripper that
// loses, repeats, delays and answers wrongly what passes through it, at any hop
// that speaks HTTP: from a client to the service, or from the service to
// DynamoDB.
//
// What happens to a request is drawn from a generator that is seeded with the
// injector's seed, the request's name (see Trip) and how often it was tried: not
// with the order in which requests happen to come. So the same seed treats the
// same requests the same way, however the scheduler interleaves them; only what
// "after five other requests" means depends on that.
//
// No fault is made by letting time pass. A delayed request waits for others to
// pass, and a caller's time-out is reported at once.
package faults
