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
//   - a batch of the table's stream is recorded as history, and an SNS topic is
//     told of what people want to hear of;
//   - anything else is refused with a sentence that says what is accepted.
//
// It is deployed once for each way in, and STATELOCK_SERVES says which: whoever
// may invoke the function of the operators can send it commands and nothing
// else, and whoever may invoke that of the API can't (serves.go).
//
// The caller is who the gateway's authorizer says it is (principal.go): never
// a header, never the body. It follows that permission to invoke the function
// of the API is permission to write any gateway's event: grant it to the
// gateway alone. With STATELOCK_JWT, what a JWT allows is read by the service
// itself, since a gateway's authorizer lets all JWTs of an issuer through.
//
// What an invocation measures is written to the log in CloudWatch's embedded
// metric format (measure.go).
//
// The shapes of the events are those of Amazon's documentation; the titles of
// the pages are in testdata/README.md, next to one recorded event of each.
package main
