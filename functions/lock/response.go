package main

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"unicode/utf8"
)

// response is an http.ResponseWriter that keeps what is written to it, with
// the rules of net/http's server: the first status counts, headers set after
// it are not sent, and a body without a type gets the one it looks like.
type response struct {
	header http.Header // what the handler edits
	sent   http.Header // what header was when the status was written
	status int
	body   bytes.Buffer
}

func newResponse() *response { return &response{header: make(http.Header)} }

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Informational answers (1xx) are
// left out: an event has one answer.
func (w *response) WriteHeader(status int) {
	if w.status != 0 || status < http.StatusOK {
		return
	}
	w.status = status
	w.sent = w.header.Clone()
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// close completes the answer to a request of the given method.
func (w *response) close(method string) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len() > 0 && w.sent.Get("Content-Type") == "" {
		w.sent.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
	if method == http.MethodHead || w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		w.body.Reset()
	}
}

// text returns the body as a JSON string can hold it: as it is, or in base64
// where it isn't text (a compressed body never is UTF-8).
func (w *response) text() (body string, encoded bool) {
	if b := w.body.Bytes(); !utf8.Valid(b) {
		return base64.StdEncoding.EncodeToString(b), true
	}
	return w.body.String(), false
}
