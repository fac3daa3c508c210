// Package lockapi is the service's HTTP interface, one http.Handler that the
// local server and the Lambda function share, and the same commands for direct
// invocation.
//
//	POST /v1/acquire        {"ws":"prod","runner":"ci-7"}
//	POST /v1/renew          {"ws":"prod","lock_id":"…","lease_seconds":60}
//	POST /v1/release        {"ws":"prod"}
//	POST /v1/mark-stale     {"ws":"prod"}
//	POST /v1/force-unlock   {"ws":"prod"}
//	GET  /v1/locks/{ws...}
//	GET  /v1/locks?state=&prefix=&limit=&cursor=
//	GET  /v1/history/{ws...}?limit=&cursor=
//	GET  /v1/versions/{ws...}?version=
//	POST /v1/restore        {"ws":"prod","lock_id":"…","version":7}
//
// There is a route for each operation, so that each can be granted by itself.
// Terraform's and OpenTofu's backend "http" has routes of its own (terraform.go,
// state.go): the state at /v1/tf/{ws...}, lock and unlock beside it at
// /v1/tf-lock/{ws...}, or by the methods LOCK and UNLOCK at the state's. Routes
// lists them all.
//
// Who calls is for the adapter to say (WithPrincipal), or for the caller to show
// by a secret (Options.Credentials), which also says what it may do.
//
// Statuses: 200 for done, 423 for an acquire that was refused, 409 for any
// other refusal, 400 for unusable input, 401 and 403 for callers that are not let
// in, 404 and 405 for no such route (404 also for an absent state), 413 for a body
// over its limit, 503 with Retry-After where DynamoDB failed. A failure is never
// dressed up as a verdict on the lock, nor the other way round, and no error
// shows what went on inside.
package lockapi
