// Package differential compares the embedded engine with other DynamoDB
// engines: both get the same generated requests, and every disagreement in
// verdict (done, or which error), returned attributes or resulting item is
// either known, with a reason, or reported.
//
// A case (case.go) is a few requests in the raw JSON protocol, so that it can
// hold what no SDK would send: invalid values, undefined placeholders, wrong
// syntax. The families are writes with conditions (write_case.go), queries and
// scans with paging (query_case.go), transactions (transact_case.go) and time to
// live settings (ttl_case.go). Messages are not compared, only what a program
// can act on.
//
// Cases come from a seed, so a run can be repeated:
//
//	go test ./localtest/differential -args -seed 7 -cases 2000
//
// A disagreement that is not known is made as small as it gets (draws.go) and
// printed as a case that known.go can take for a specimen. The package has a
// generator of its own because a property test ends with the first failure,
// while this one lists them all, by kind.
//
// known.go has the known differences: which engines, who is right and by what
// source, what to recognise them by, and a specimen. A specimen that does not
// show its difference any more fails the run, so the list can't outlive its
// reasons.
package differential
