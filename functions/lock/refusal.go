package main

import "encoding/json"

// accepted is the reason given to whoever sends anything else.
const accepted = `the event is none that this function serves; it accepts Amazon API Gateway HTTP API ` +
	`(payload 2.0 or 1.0), REST API and Lambda function URL events, ` +
	`the scheduled event of Amazon EventBridge, batches of a DynamoDB stream, and command documents such as {"op":"lock_state","ws":"prod"}`

// failed is the reason given where the service itself breaks.
const failed = "the service failed; it is unknown whether the request was carried out"

// tooLarge is the reason given where the answer would not fit.
const tooLarge = "the answer is over the 6 MB that Lambda passes on; ask for it compressed (Accept-Encoding: gzip), or read the state through a server of your own: statelock serve --aws"

// refusal is the adapter's own answer, in the shape of the service's errors.
func refusal(code, reason string) []byte {
	answer, _ := json.Marshal(struct { // plain fields: can't fail
		OK     bool   `json:"ok"`
		Code   string `json:"code"`
		Reason string `json:"reason"`
	}{false, code, reason})
	return answer
}

// refuse makes w such an answer over HTTP.
func (w *response) refuse(status int, code, reason string) {
	w.header.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.body.Write(refusal(code, reason))
}
