// Command lock is the Lambda function of statelock: the bootstrap of the
// provided.al2023 runtime.
//
// One binary serves every way in. It tells events apart by their shape:
//
//   - Amazon API Gateway HTTP API (payload 2.0 or 1.0), REST API (1.0) and
//     Lambda function URL events become one http.Request each for
//     lockapi.API, whose response becomes the event's answer;
//   - a command document, {"op":"force_unlock","ws":"prod"}, sent by a direct
//     invoke, goes to lockapi.API.Command and is answered with the same JSON
//     as over HTTP;
//   - the scheduled event of EventBridge has lockapi.API.Sweep mark lapsed
//     leases stale;
//   - a batch of the table's stream is recorded as history, by a deployment of
//     the same binary with a role of its own;
//   - anything else is refused with a sentence that says what is accepted.
//
// The caller is who the gateway's authorizer says it is (principal.go): never
// a header, never the body. It follows that permission to invoke the function
// directly is permission to write any event, a gateway's included: grant
// lambda:InvokeFunction to the gateway and to operators only.
//
// The shapes of the events are those of Amazon's documentation; the titles of
// the pages are in testdata/README.md, next to one recorded event of each.
package main
