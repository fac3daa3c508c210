// Package e2e runs Terraform and OpenTofu, as they are, against a server
// process, and takes their lives, their connections and their answers at the
// worst moments.
//
// Its tests are written as stories. Each has a server of its own in the memory
// of a process of its own, workspaces of its own, and clients in process groups
// of their own, which are gone when the test ends. A story waits for what is
// said or stored, never for time to pass. The configurations consist of
// terraform_data resources, which both clients have built in: nothing is
// downloaded.
//
// Both clients are run, in both ways of locking, where their ways could matter:
// OpenTofu and Terraform differ in what they send to force-unlock and in what
// they make of a conflict; POST and DELETE on an address of its own are for
// gateways, LOCK and UNLOCK on the state's address for servers.
//
// A client that isn't installed is a named skip on a user's machine, and a
// failure where the environment variable CI is set. Terraform is looked for in
// PATH. OpenTofu is built by
//
//	go run ./localtest/e2e/cmd/tofu
//
// in the version that tools/opentofu.mod pins, into the user's cache folder.
package e2e
