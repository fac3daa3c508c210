package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Why an event can't be made a request. They are shown to the caller, so they
// hold nothing of the event.
var (
	errShape  = errors.New("the event has not the shape of its payload format")
	errPath   = errors.New("the path of the event is not percent-encoded")
	errBase64 = errors.New("the body of the event is not base64, which it says it is")
)

// inbound is what both payload formats say about a request.
type inbound struct {
	method   string
	path     string // of the API itself, see apiPath
	encoded  bool   // path is percent-encoded, not yet decoded
	query    string // encoded, without "?"
	header   http.Header
	body     string
	base64   bool   // body is encoded so
	domain   string // the name that the gateway was called by
	sourceIP string
}

// request returns what in describes. To a handler it looks as if net/http's
// server had read it off a connection; only the client's port is unknown: 0.
func (in inbound) request() (*http.Request, error) {
	u := &url.URL{Path: in.path, RawQuery: in.query}
	if in.encoded {
		decoded, err := url.PathUnescape(in.path)
		if err != nil {
			return nil, errPath
		}
		u.Path, u.RawPath = decoded, in.path
	}
	body := []byte(in.body)
	if in.base64 {
		var err error
		if body, err = base64.StdEncoding.DecodeString(in.body); err != nil {
			return nil, errBase64
		}
	}
	host := in.header.Get("Host")
	if host == "" {
		host = in.domain
	}
	in.header.Del("Host") // as net/http does
	return &http.Request{
		Method:        in.method,
		URL:           u,
		RequestURI:    u.RequestURI(),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        in.header,
		Host:          host,
		RemoteAddr:    net.JoinHostPort(in.sourceIP, "0"),
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}, nil
}
