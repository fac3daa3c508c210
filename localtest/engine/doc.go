// Package engine is a DynamoDB of our own: it speaks the service's JSON protocol
// as an http.Handler, so any DynamoDB client can use it, over a socket or, with
// HTTPClient, inside the process. It keeps its tables in memory, or in a file as
// well.
//
// What it promises:
//
//   - A write checks its condition and changes its items under one lock; no
//     other write comes between.
//   - Expressions are parsed and checked before anything is read, so a mistake
//     in one is a ValidationException whatever the table holds.
//   - Numbers are exact decimals of up to 38 digits.
//   - With a file, a write is answered after it is on the disk. A process that
//     is killed loses nothing it acknowledged.
//
// What it leaves out: request signatures are not checked, capacity is never
// exhausted, secondary indexes are never behind, tables are ready at once,
// expired items stay until SweepExpired is called, and the parameters that
// expressions replaced (Expected, AttributeUpdates, …) are refused. Operations
// it does not know answer UnknownOperationException.
//
// A request passes from the handler (http.go) to its operation (one file for
// each group), which reads a table (table.go, page.go) or prepares writes
// (write.go) and commits them (commit.go).
package engine
