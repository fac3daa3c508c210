// Package engines installs, starts and stops DynamoDB engines that are not
// ours, so that the same suites run against several independent ideas of what
// DynamoDB does.
//
//   - Dynalite (JavaScript) has the closest request validation. Its launcher,
//     dynalite/launcher.js, adds what it lacks: the item of a failed condition.
//   - Dynoxide (Rust, over SQLite) passes a public conformance suite fully. It
//     is reached through a proxy that mends what it returns of an item which an
//     update has just made.
//   - Moto (Python) has TTL, transactions and CloudFormation, but decides and
//     writes in two steps: it is reached only through a proxy that lets one
//     request through at a time. Its launcher, moto/launcher.py, has conditions
//     compare values with their types.
//
// Versions are pinned here and in the lock files next to this file. Install
// puts an engine into the user's cache folder, never into the project:
//
//	go run ./localtest/cmd/withengine -install all
//
// An engine that is not installed is a named skip in tests on a user's
// machine, and a failure where the environment variable CI is set. Every engine
// listens on loopback only, on a free port, and ends with the process that
// started it.
package engines
