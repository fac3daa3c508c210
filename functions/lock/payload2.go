package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// inboundV2 reads an event of payload format 2.0.
//
// The raw path is not what its name says in an HTTP API: it arrives decoded,
// so a "%" or "?" in it is itself. A function URL delivers it as it was sent.
func inboundV2(event []byte, k kind) (inbound, caller, error) {
	var e events.APIGatewayV2HTTPRequest
	if json.Unmarshal(event, &e) != nil {
		return inbound{}, caller{}, errShape
	}
	c := e.RequestContext
	// One value per name: the gateway has joined repeated headers with commas,
	// and which commas are its own can't be told any more. So none is split.
	header := make(http.Header, len(e.Headers)+1)
	for name, value := range e.Headers {
		header.Set(name, value)
	}
	if len(e.Cookies) > 0 { // a function URL has them in the header as well
		header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	_, template, _ := strings.Cut(e.RouteKey, " ") // "POST /v1/acquire", or "$default"
	in := inbound{
		method:   c.HTTP.Method,
		path:     apiPath(e.RawPath, template, e.PathParameters, c.Stage),
		encoded:  k == kindFunctionURL,
		query:    e.RawQueryString,
		header:   header,
		body:     e.Body,
		base64:   e.IsBase64Encoded,
		domain:   c.DomainName,
		sourceIP: c.HTTP.SourceIP,
	}
	return in, caller{principal: principalV2(c.Authorizer), requestID: c.RequestID}, nil
}

// answerV2 gives a response the shape of payload format 2.0: one value per
// header, and cookies apart because they alone can't be joined with commas.
func answerV2(w *response) any {
	body, encoded := w.text()
	headers := make(map[string]string, len(w.sent))
	for name, values := range w.sent {
		if name != "Set-Cookie" {
			headers[name] = strings.Join(values, ", ")
		}
	}
	return events.APIGatewayV2HTTPResponse{
		StatusCode:      w.status,
		Headers:         headers,
		Cookies:         w.sent["Set-Cookie"],
		Body:            body,
		IsBase64Encoded: encoded,
	}
}
