package main

import (
	"encoding/json"
	"strings"
)

// kind is what an event turns out to be.
type kind int

const (
	kindNeither     kind = iota // nothing this function serves
	kindCommand                 // a command document of a direct invoke
	kindHTTPAPI                 // API Gateway HTTP API, payload format 2.0
	kindFunctionURL             // Lambda function URL: the shape of 2.0, other encoding of the path
	kindHTTPAPIv1               // API Gateway HTTP API, payload format 1.0
	kindREST                    // API Gateway REST API
	kindSchedule                // EventBridge's scheduled event: time to sweep
	kindStream                  // a batch of a DynamoDB table's stream: history
)

var kindNames = [...]string{"neither", "command", "http_api", "function_url", "http_api_v1", "rest", "schedule", "stream"}

// String returns the word used for the kind in the log.
func (k kind) String() string { return kindNames[k] }

// kindOf looks at the event's shape. The keys are compared exactly (Go's JSON
// decoder would take "OP" for "op"), and the order matters only where a key
// is shared: authorizer, load balancer and WebSocket events look much like the
// proxy events that they must not be taken for.
func kindOf(event []byte) kind {
	var top map[string]json.RawMessage
	if json.Unmarshal(event, &top) != nil {
		return kindNeither
	}
	var context map[string]json.RawMessage
	if raw, ok := top["requestContext"]; ok && json.Unmarshal(raw, &context) != nil {
		return kindNeither
	}
	switch {
	case context == nil:
		if _, ok := top["op"]; ok {
			return kindCommand
		}
		if text(top["source"]) == "aws.events" && text(top["detail-type"]) == "Scheduled Event" {
			return kindSchedule
		}
		if fromStream(top["Records"]) {
			return kindStream
		}
		return kindNeither
	case top["type"] != nil, context["elb"] != nil:
		return kindNeither // Lambda authorizer, load balancer
	case text(top["version"]) == "2.0" && context["http"] != nil:
		if strings.Contains(text(context["domainName"]), ".lambda-url.") {
			return kindFunctionURL
		}
		return kindHTTPAPI
	case text(top["httpMethod"]) == "":
		return kindNeither
	case text(top["version"]) == "1.0":
		return kindHTTPAPIv1
	case top["version"] == nil:
		return kindREST
	}
	return kindNeither
}

// fromStream reports whether raw is a batch of a table's stream.
func fromStream(raw json.RawMessage) bool {
	var records []struct {
		EventSource string `json:"eventSource"`
	}
	return json.Unmarshal(raw, &records) == nil && len(records) > 0 && records[0].EventSource == "aws:dynamodb"
}

// text returns the string that raw is, or "" where it is none.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
