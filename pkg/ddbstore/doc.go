// Package ddbstore keeps locks in one DynamoDB table.
//
// It renders the transition table of package lockmodel into one pair of
// ConditionExpression and UpdateExpression per operation, and performs each
// transition as ONE UpdateItem. The write decides. Whether its condition held
// or failed, DynamoDB returns the item as the write found it, and that item
// goes through lockmodel.Step for the answer: nothing is read before a write,
// and no second read explains one.
//
// Store.write is the only function that writes a lock item.
//
// # The table
//
// The partition key is the workspace (ws), the sort key says what the item is
// (sk): "lock" for the lock itself. The index by_state lists the locks of one
// state in the order of their names, so that listing the held locks costs what
// is held, not what was ever seen. The index by_lease lists the leased ones in
// the order in which their leases end, so that finding the lapsed ones costs what
// has lapsed.
//
// # State
//
// A version of a workspace's state is an item that describes it (sk "version#…")
// and parts of at most 390 KB with its compressed body (sk "chunk#…"). They are
// written once, and do not count until the conditional write of the lock item
// points to them (Store.WriteState). What was uploaded and never became current
// is found by the index by_state, in which it stands as "uploading", and left to
// DynamoDB's time to live (Store.Tidy), as are versions beyond those to keep.
//
// # Tokens
//
// Credentials of our own are in a partition that no workspace can have (Tokens).
package ddbstore
