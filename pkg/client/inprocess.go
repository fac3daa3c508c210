package client

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// inProcess is a transport that hands requests to a handler.
type inProcess struct{ handler http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	defer served.Body.Close()
	w := &response{header: http.Header{}, status: http.StatusOK}
	p.handler.ServeHTTP(w, served)
	if err := r.Context().Err(); err != nil {
		return nil, err // whoever has given up is told nothing
	}
	return w.result(r), nil
}

// response keeps what a handler answers.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(status int)      { w.status = status }
func (w *response) Write(p []byte) (int, error) { return w.body.Write(p) }

func (w *response) result(r *http.Request) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}
}
