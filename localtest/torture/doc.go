// Package torture lets many clients use, forget and fight over a few locks
// through a bad network, and checks the history of what they were told.
//
// Run is one run from one seed: a service with a table of its own, clients on
// goroutines, faults at both hops (package faults), and in the end the checks of
// package history: is there an order of all calls in which the transition table
// gives every answer; is there at most one believer a fence; is everything that
// clients were told in the items that the database held; and is the item that is
// left whole, with a fence that equals the number of acquisitions in that order.
// Campaign makes runs from a row of seeds.
//
// # What a seed determines
//
// The weather of a run (how bad the network is, and where), what each client
// does next given what it was told, and what happens to each try of each
// request. What it does not determine is how the goroutines interleave: a seed
// that found something may need a few runs to find it again.
//
// # Time
//
// The service and the history read one clock, which never shows a time twice
// and jumps ahead by seconds now and then. So "later" has one meaning for all,
// leases end at all places of a run, and the service's clock skew can be 0: a
// late copy of a write is late however fast it comes. Processes that are killed
// (see the tests) run on the machine's clock and the default skew, and there no
// late copies are made on the way to the database: copies younger than the skew
// are none that the table claims to refuse.
package torture
