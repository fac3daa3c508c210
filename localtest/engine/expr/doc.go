// Package expr implements DynamoDB's expression language: conditions (also key
// conditions and filters), updates and projections.
//
// An expression passes through three steps, which stay apart:
//
//  1. Parse turns text into a tree. It knows the grammar only, so its result
//     can be printed, compared and kept for the next request.
//  2. Check holds the tree against the names and values of one request: what is
//     undefined, reserved, of a type the operator refuses, or overlapping. It
//     sees no item, so a mistake is found whatever the table holds.
//  3. Eval, Apply and Project run a checked tree against an item.
//
// Errors are attr.Invalid with DynamoDB's wording, as far as it is known; the
// caller puts "Invalid ConditionExpression: " and the like in front.
package expr
