package ddbstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// recorder keeps the bodies of the requests that pass.
type recorder struct {
	mu   sync.Mutex
	seen []string
	next http.RoundTripper
	last *http.Request
}

func (rec *recorder) between(next http.RoundTripper) http.RoundTripper {
	rec.next = next
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		rec.mu.Lock()
		rec.seen, rec.last = append(rec.seen, string(body)), r.Clone(context.WithoutCancel(r.Context()))
		rec.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		return next.RoundTrip(r)
	})
}

// again sends a late copy of request n.
func (rec *recorder) again(t *testing.T, n int) {
	t.Helper()
	r := rec.last.Clone(rec.last.Context())
	r.Body = io.NopCloser(strings.NewReader(rec.seen[n]))
	r.ContentLength = int64(len(rec.seen[n]))
	resp, err := rec.next.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
}

// put sends a late copy of request n, which was a PutItem.
func (rec *recorder) put(t *testing.T, n int) {
	t.Helper()
	rec.last.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	rec.again(t, n)
}

// loseReplies drops the reply of each request once, after it was applied.
type loseReplies struct{ lost int }

func (l *loseReplies) between(next http.RoundTripper) http.RoundTripper {
	odd := false
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if odd = !odd; odd && err == nil {
			l.lost++
			return nil, errors.Join(resp.Body.Close(), errors.New("connection reset by peer"))
		}
		return resp, err
	})
}

// https://github.com/opentofu/opentofu/issues/4405: the SDK's own retry must
// not fail on the lock that its first try took.
func TestRetryAfterLostReplyIsAnsweredAsTheFirstTry(t *testing.T) {
	t.Parallel()
	var faults loseReplies
	db := testdb.Open(t, faults.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	acquire := request(lockmodel.Acquire, "prod")
	for n, r := range []lockmodel.Request{
		request(lockmodel.Acquire, "prod"),
		request(lockmodel.MarkStale, "prod"),
		request(lockmodel.ForceUnlock, "prod"),
		acquire,
		renewal(acquire),
		request(lockmodel.ReleaseLock, "prod"),
	} {
		db.Requests()
		out := do(t, s, r)
		if !out.Rule.Done() || out.Situation != lockmodel.Repeat || !out.Answer().Repeat {
			t.Errorf("%s: %s, %v", r.Op, out.Situation, out.Err())
		}
		if db.Requests() != 2 || faults.lost != n+1 {
			t.Errorf("%s: the fault was not met", r.Op)
		}
	}
	if l, err := s.Lock(t.Context(), "prod"); err != nil || l.State != lockmodel.Unlocked || l.Fence != 2 {
		t.Errorf("ended as %+v, error %v", l, err)
	}
}

// A late copy of any request, run after the lock moved on, changes nothing.
func TestLateCopiesChangeNothing(t *testing.T) {
	t.Parallel()
	var rec recorder
	db := testdb.Open(t, rec.between)
	clock := time.UnixMilli(1_800_000_000_000)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}})
	var acquire lockmodel.Request
	for _, o := range []lockmodel.Op{
		lockmodel.Acquire, lockmodel.ReleaseLock,
		lockmodel.Acquire, lockmodel.MarkStale, lockmodel.ForceUnlock,
		lockmodel.Acquire, lockmodel.Renew, lockmodel.Renew, lockmodel.ReleaseLock,
		lockmodel.Acquire, lockmodel.MarkStale, lockmodel.ReleaseLock,
		lockmodel.Acquire,
	} {
		r := request(o, "prod")
		switch o {
		case lockmodel.Acquire:
			acquire = r
		case lockmodel.Renew:
			r = renewal(acquire)
		}
		if out := do(t, s, r); !out.Wrote() {
			t.Fatalf("%s: %v", o, out.Err())
		}
		before := db.Get(t, "prod")
		for n := range rec.seen {
			rec.again(t, n)
			unchanged(t, db, before)
		}
	}
}

// An acquire that was made before the lock was freed, by a clock that is
// behind, is made again with a later time, since somebody is there to ask.
func TestLiveAcquireAsksAgain(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	ahead := time.UnixMilli(1_800_000_000_000)
	behind := ahead.Add(-time.Minute)
	clocked := func(now time.Time) *ddbstore.Store {
		return ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return now }})
	}
	do(t, clocked(ahead), request(lockmodel.Acquire, "prod"))
	do(t, clocked(ahead), request(lockmodel.ReleaseLock, "prod"))
	db.Requests()
	if out := do(t, clocked(behind), request(lockmodel.Acquire, "prod")); !out.Wrote() || out.Lock.Fence != 2 {
		t.Errorf("%s: %v", out.Situation, out.Err())
	}
	if n := db.Requests(); n != 2 {
		t.Errorf("%d requests, want the refused one and the one made again", n)
	}
	if out := do(t, clocked(behind.Add(-time.Minute)), request(lockmodel.MarkStale, "prod")); out.Rule.Code != lockmodel.CodeLate {
		t.Errorf("mark_stale made before the hold: %s", out.Situation)
	}
}

// A database whose verdict is not the table's gets no answer made up about it.
func TestDisagreementIsAnError(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(forgetful{db.Client}, ddbstore.Options{Table: db.Table})
	do(t, s, request(lockmodel.Acquire, "prod"))
	if out, err := s.Transition(t.Context(), request(lockmodel.Acquire, "prod")); !errors.Is(err, ddbstore.ErrTableDisagrees) {
		t.Errorf("failed condition without its item: %+v, %v", out, err)
	}
}

// Whoever serves an endpoint of its own finds out before it is asked anything.
func TestProbe(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	if err := ddbstore.Probe(t.Context(), db.Client, db.Table); err != nil {
		t.Errorf("the engine: %v", err)
	}
	if err := ddbstore.Probe(t.Context(), forgetful{db.Client}, db.Table); err == nil {
		t.Error("an engine that gives no item with a failed condition passes")
	}
	if err := ddbstore.Probe(t.Context(), db.Client, "no-such-table"); err == nil {
		t.Error("a table that is missing passes")
	}
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	if page, err := s.List(t.Context(), ddbstore.Query{}); err != nil || len(page.Locks) != 0 {
		t.Errorf("the probe shows in lists: %+v, %v", page, err)
	}
}

// forgetful is a DynamoDB that gives no item with a failed condition.
type forgetful struct{ ddbstore.Client }

func (f forgetful) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := f.Client.UpdateItem(ctx, in, o...)
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		failed.Item = nil
	}
	return out, err
}
