package ddbstore_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// plain is a state as Terraform writes it.
func plain(serial int, filling string) []byte {
	return fmt.Appendf(nil, `{"version":4,"serial":%d,"lineage":"f00d","outputs":{"x":%q}}`, serial, filling)
}

// noise doesn't get smaller by compression.
func noise(t *testing.T, size int) []byte {
	t.Helper()
	b := make([]byte, size)
	if _, err := io.ReadFull(rand.Reader, b); err != nil {
		t.Fatal(err)
	}
	return b
}

func writeState(t *testing.T, s *ddbstore.Store, ws, lockID string, body []byte) lockmodel.Outcome {
	t.Helper()
	out, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: ws, ID: uuid.NewString(), LockID: lockID}, body)
	if err != nil {
		t.Fatal(err)
	}
	if out.Wrote() {
		if err := s.Settle(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func wantState(t *testing.T, s *ddbstore.Store, ws string, want []byte) {
	t.Helper()
	got, err := s.State(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Body, want) {
		t.Errorf("the state has %d bytes, %.60q…; want %d, %.60q…", len(got.Body), got.Body, len(want), want)
	}
}

func TestNoState(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	absent := func() {
		t.Helper()
		if _, err := s.State(t.Context(), "prod"); !errors.Is(err, ddbstore.ErrNoState) {
			t.Errorf("error %v, want %v", err, ddbstore.ErrNoState)
		}
	}
	absent()
	do(t, s, request(lockmodel.Acquire, "prod"))
	absent()
	do(t, s, request(lockmodel.ReleaseLock, "prod"))
	writeState(t, s, "prod", "", plain(1, ""))
	wantState(t, s, "prod", plain(1, ""))
	out, err := s.Transition(t.Context(), lockmodel.Request{Op: lockmodel.WriteState, Workspace: "prod", ID: "delete"})
	if err != nil || out.Err() != nil {
		t.Fatal(err, out.Err())
	}
	absent()
}

// A process that lost the lock can't move the state.
func TestZombieWriteIsRefused(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	a, b := request(lockmodel.Acquire, "prod"), request(lockmodel.Acquire, "prod")
	do(t, s, a)
	do(t, s, request(lockmodel.MarkStale, "prod"))
	if out := writeState(t, s, "prod", a.LockID, plain(1, "while stale")); out.Err() != nil {
		t.Fatal(out.Err())
	}
	do(t, s, request(lockmodel.ForceUnlock, "prod"))
	if out := writeState(t, s, "prod", a.LockID, plain(2, "after the force-unlock")); out.Rule.Code != lockmodel.CodeNotHeld {
		t.Errorf("%+v", out.Answer())
	}
	do(t, s, b)
	writeState(t, s, "prod", b.LockID, plain(2, "by the next"))
	for _, id := range []string{a.LockID, ""} {
		if out := writeState(t, s, "prod", id, plain(3, "by a zombie")); out.Rule.Code != lockmodel.CodeNotHolder {
			t.Errorf("for hold %q: %+v", id, out.Answer())
		}
	}
	wantState(t, s, "prod", plain(2, "by the next"))
}

func TestRequireLockRefusesUnlockedWrites(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, RequireLock: true})
	_, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "r"}, plain(1, ""))
	if bad, ok := errors.AsType[*lockmodel.FieldError](err); !ok || bad.Field != "lock_id" {
		t.Errorf("error %v", err)
	}
	if sorts := db.Sorts(t, "prod", ""); len(sorts) > 0 {
		t.Errorf("something was stored: %v", sorts)
	}
}

// One conditional write makes a state current, and the rest is uploaded before
// and tidied up after it.
func TestOneUpdateMakesAStateCurrent(t *testing.T) {
	t.Parallel()
	updates := 0
	db := testdb.Open(t, func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateItem") && bytes.Contains(body, []byte(`"sk":{"S":"lock"}`)) {
				updates++
			}
			return next.RoundTrip(r)
		})
	})
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	writeState(t, s, "prod", "", noise(t, 900<<10))
	if updates != 1 {
		t.Errorf("%d updates of the lock item", updates)
	}
}

// dying is a network that goes away after some requests: the last one gets
// through or not, and nobody hears of it.
type dying struct {
	after    int64 // requests that are answered
	delivers bool  // whether the one after them arrives
	seen     atomic.Int64
}

var errDied = errors.New("the process died")

func (d *dying) between(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		switch n := d.seen.Add(1); {
		case n <= d.after:
			return next.RoundTrip(r)
		case n == d.after+1 && d.delivers:
			if resp, err := next.RoundTrip(r); err == nil {
				// Read, so that the connection is left as it should be.
				_, err = io.Copy(io.Discard, resp.Body)
				return nil, errors.Join(errDied, err, resp.Body.Close())
			}
		}
		return nil, errDied
	})
}

// A process may die before and after every request that a state write makes.
// Readers then see the old state or the new one, whole; a repetition gets
// through; and in the end nothing is left over that is not listed.
func TestKilledAnywhereInAStateWrite(t *testing.T) {
	t.Parallel()
	before, after := noise(t, 1000), noise(t, 500<<10)
	committed := 0
	for n := int64(0); ; n++ {
		finished := false
		for _, delivers := range []bool{false, true} {
			db := testdb.Open(t)
			clock := time.UnixMilli(1_800_000_000_000)
			options := ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }}
			s := ddbstore.New(db.Client, options)
			hold := request(lockmodel.Acquire, "prod")
			do(t, s, hold)
			writeState(t, s, "prod", hold.LockID, before)

			d := &dying{after: n, delivers: delivers}
			mortal := ddbstore.New(db.Through(t, d.between), options)
			r := lockmodel.Request{Workspace: "prod", ID: "write", LockID: hold.LockID}
			out, err := mortal.WriteState(t.Context(), r, after)
			if err == nil {
				err = mortal.Settle(t.Context(), out)
			}
			if finished = err == nil; !finished && !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			l, err := s.Lock(t.Context(), "prod")
			if err != nil {
				t.Fatal(err)
			}
			want := before
			if l.VersionNo == 2 {
				want, committed = after, committed+1
			}
			wantState(t, s, "prod", want)

			// The client comes again with the same.
			out, err = s.WriteState(t.Context(), r, after)
			if err != nil || out.Err() != nil || out.Lock.VersionNo != 2 {
				t.Fatalf("after %d requests: the repetition: %+v, %v", n, out.Answer(), err)
			}
			if err := s.Settle(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			wantState(t, s, "prod", after)

			do(t, s, request(lockmodel.ReleaseLock, "prod")) // now nothing of it can land
			clock = clock.Add(ddbstore.LongestPause + time.Second)
			if tidied, err := s.Tidy(t.Context(), 100); err != nil || tidied.More {
				t.Fatalf("%+v, %v", tidied, err)
			}
			wantState(t, s, "prod", after)
			if got := numbers(t, s, "prod"); got != "2 1" {
				t.Errorf("after %d requests (last delivered: %v): versions %s", n, delivers, got)
			}
			wantNoLeftovers(t, db)
		}
		if finished {
			break
		}
	}
	if committed < 4 {
		t.Errorf("only %d of the writes that were cut off had landed", committed)
	}
}

// wantNoLeftovers checks that the parts of each version stay or go together:
// those that are listed for good, as the current one is, the others with a time to
// live.
func wantNoLeftovers(t *testing.T, db *testdb.DB) {
	t.Helper()
	goes := map[string]bool{}
	for _, sk := range db.Sorts(t, "prod", "version#") {
		item := db.Item(t, "prod", sk)
		_, expires := item["expires_at"]
		_, number := item["version_no"]
		if _, still := item["st"]; still || !expires && !number {
			t.Errorf("%s: expires %v, numbered %v, uploading %v", sk, expires, number, still)
		}
		goes[strings.TrimPrefix(sk, "version#")] = expires
	}
	for _, sk := range db.Sorts(t, "prod", "chunk#") {
		id, _, _ := strings.Cut(strings.TrimPrefix(sk, "chunk#"), "#")
		if _, expires := db.Item(t, "prod", sk)["expires_at"]; expires != goes[id] {
			t.Errorf("%s: expires %v, its version %v", sk, expires, goes[id])
		}
	}
	lock := db.Get(t, "prod")
	if _, expires := lock["expires_at"]; expires {
		t.Error("the lock expires")
	}
	if current, ok := lock["version"].(*types.AttributeValueMemberS); ok && goes[current.Value] {
		t.Error("the current state expires")
	}
}

// Writers without a lock, all at once: what is current is one of their states,
// whole.
func TestConcurrentStateWrites(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	done := make(chan error)
	const writers = 20
	for n := range writers {
		go func() {
			out, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: uuid.NewString()}, plain(n, strings.Repeat("x", n)))
			if err == nil {
				err = s.Settle(t.Context(), out)
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	state, err := s.State(t.Context(), "prod")
	if err != nil {
		t.Fatal(err)
	}
	var serial int
	if _, err := fmt.Sscanf(string(state.Body), `{"version":4,"serial":%d`, &serial); err != nil || string(state.Body) != string(plain(serial, strings.Repeat("x", serial))) {
		t.Errorf("the state is %q (%v)", state.Body, err)
	}
	l, err := s.Lock(t.Context(), "prod")
	if err != nil || l.VersionNo < 1 || l.VersionNo > writers {
		t.Errorf("%+v, %v", l, err)
	}
}

// Where what points to the state is gone and the rest is there, the state isn't
// absent.
func TestPointerThatIsGone(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	writeState(t, s, "prod", "", plain(1, ""))
	for _, value := range []any{nil, 7} {
		db.Set(t, "prod", map[string]any{"version": value})
		if _, err := s.State(t.Context(), "prod"); err == nil || strings.Contains(err.Error(), ddbstore.ErrNoState.Error()) {
			t.Errorf("version %v: error %v", value, err)
		}
	}
}
