package engine

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Region is the region of the engine's ARNs and clients.
const Region = "us-east-1"

// Client returns an SDK client that calls e in the process, without sockets.
// optFns change it as they would any client.
func (e *Engine) Client(optFns ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       Region,
		BaseEndpoint: aws.String("http://dynamodb.local"),
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		HTTPClient:   HTTPClient(e),
	}, optFns...)
}

// HTTPClient returns a client whose every request is answered by h, whatever
// its address. It serves as aws.Config.HTTPClient or dynamodb.Options.HTTPClient.
func HTTPClient(h http.Handler) *http.Client {
	return &http.Client{Transport: Transport{h}}
}

// Transport is an http.RoundTripper that calls a handler in the process.
//
// As over a socket, a request whose context ends returns at once with the
// context's error while the handler may run on, and a handler that panics breaks
// the connection: the client gets an error and can't tell what was done.
type Transport struct{ Handler http.Handler }

// RoundTrip answers r with the handler.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	request := r.Clone(ctx)
	request.RequestURI = r.URL.RequestURI()
	if request.Body == nil {
		request.Body = http.NoBody
	}
	done := make(chan error, 1)
	response := &recorder{status: http.StatusOK, header: http.Header{}}
	go func() {
		defer request.Body.Close()
		defer func() {
			if cause := recover(); cause != nil {
				done <- fmt.Errorf("handler broke off: %v", cause)
			}
		}()
		t.Handler.ServeHTTP(response, request)
		done <- nil
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return response.result(r), nil
	}
}

// recorder is the http.ResponseWriter of one request.
type recorder struct {
	status int
	wrote  bool
	header http.Header
	body   bytes.Buffer
}

// Header is the response's header.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader sets the status; the first call counts.
func (w *recorder) WriteHeader(status int) {
	if !w.wrote {
		w.status, w.wrote = status, true
	}
}

// Write adds to the body.
func (w *recorder) Write(p []byte) (int, error) {
	w.wrote = true
	return w.body.Write(p)
}

func (w *recorder) result(r *http.Request) *http.Response {
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.header,
		Body:          io.NopCloser(bytes.NewReader(w.body.Bytes())),
		ContentLength: int64(w.body.Len()),
		Request:       r,
	}
}
