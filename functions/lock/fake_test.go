package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// fakeService stands for lockapi.API where a test is about the adapter.
type fakeService struct {
	serve   http.HandlerFunc
	command func(ctx context.Context, doc []byte) []byte
	sweep   func(ctx context.Context) (lockapi.Swept, error)
}

func (f fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.serve(w, r) }
func (f fakeService) Command(ctx context.Context, doc []byte) (reply []byte) {
	return f.command(ctx, doc)
}
func (f fakeService) Sweep(ctx context.Context) (lockapi.Swept, error) { return f.sweep(ctx) }

// fakeLocks are the pages of a list of locks.
type fakeLocks []ddbstore.Page

func (f fakeLocks) List(_ context.Context, q ddbstore.Query) (ddbstore.Page, error) {
	n := 0
	if q.Cursor != "" {
		n, _ = strconv.Atoi(q.Cursor)
	}
	if q.State != lockmodel.Stale || n >= len(f) {
		return ddbstore.Page{}, nil
	}
	page := f[n]
	if n+1 < len(f) {
		page.Next = strconv.Itoa(n + 1)
	}
	return page, nil
}

// newTest returns a handler over the service and the log that it writes.
func newTest(s service) (*handler, *bytes.Buffer) {
	var log bytes.Buffer
	return &handler{service: s, log: slog.New(slog.NewJSONHandler(&log, nil)), locks: fakeLocks{}, metrics: io.Discard, table: "locks"}, &log
}

// invocation is the context that the Lambda library gives an invocation.
func invocation(t *testing.T, id string) context.Context {
	return lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: id})
}

// recorded reads an event from testdata.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	event, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return event
}

// readAll returns what is left of r.
func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
