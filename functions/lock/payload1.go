package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"

	"github.com/aws/aws-lambda-go/events"
)

// inboundV1 reads an event of payload format 1.0. A REST API delivers the path
// percent-encoded and without the stage, an HTTP API (which may be told to use
// this format) decoded and with it. Query values are decoded in both.
func inboundV1(event []byte, k kind) (inbound, caller, error) {
	var e events.APIGatewayProxyRequest
	if json.Unmarshal(event, &e) != nil {
		return inbound{}, caller{}, errShape
	}
	c := e.RequestContext
	stage := ""
	if k == kindHTTPAPIv1 {
		stage = c.Stage
	}
	header := make(http.Header, len(e.Headers))
	named := either(e.MultiValueHeaders, e.Headers)
	for _, name := range slices.Sorted(maps.Keys(named)) { // names may differ in case alone
		values := named[name]
		name = textproto.CanonicalMIMEHeaderKey(name)
		header[name] = append(header[name], values...)
	}
	query := url.Values(either(e.MultiValueQueryStringParameters, e.QueryStringParameters))
	in := inbound{
		method:   e.HTTPMethod,
		path:     apiPath(e.Path, e.Resource, e.PathParameters, stage),
		encoded:  k == kindREST,
		query:    query.Encode(),
		header:   header,
		body:     e.Body,
		base64:   e.IsBase64Encoded,
		domain:   c.DomainName,
		sourceIP: c.Identity.SourceIP,
	}
	return in, caller{principal: principalV1(c), requestID: c.RequestID}, nil
}

// either returns the multi-value map of an event. It holds all that the
// single-value one does, which has only the last of several values and serves
// events that were written by hand.
func either(multi map[string][]string, single map[string]string) map[string][]string {
	if len(multi) > 0 {
		return multi
	}
	multi = make(map[string][]string, len(single))
	for name, value := range single {
		multi[name] = []string{value}
	}
	return multi
}

// answerV1 gives a response the shape of payload format 1.0. A REST API turns
// a base64 body into bytes only where its binaryMediaTypes match the Accept
// header of the request; an HTTP API always does.
func answerV1(w *response) any {
	body, encoded := w.text()
	return events.APIGatewayProxyResponse{
		StatusCode:        w.status,
		MultiValueHeaders: w.sent,
		Body:              body,
		IsBase64Encoded:   encoded,
	}
}
