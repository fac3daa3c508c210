// Package explore checks the transition table exhaustively, within bounds.
//
// It knows the table only through Step, and the clients only through what they
// could observe. Two kinds of checks are made:
//
//   - Properties of one step (properties.go, answers.go): a second statement
//     of what the lock must do, written from the prose of the design rather
//     than from the table.
//   - Invariants of whole worlds (beliefs.go): what the clients believe of the
//     lock, however requests were lost, doubled and delayed.
//
// A world (world.go) is a stored lock, a clock, three clients, an operator, a
// sweeper, and copies of old requests that are still under way. Explore walks
// breadth first over every world that some interleaving leads to, so the trace
// of the first violation is a shortest one.
//
// Mutants (mutants.go) breaks the table one cell at a time and finds the
// property that notices.
package explore
