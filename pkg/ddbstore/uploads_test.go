package ddbstore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// start is when the uploads are made, in milliseconds since the Unix epoch.
const start = 1_800_000_000_000

// before runs something once before a request goes out whose body has a text.
func before(text string, once func(context.Context)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if once != nil && bytes.Contains(body, []byte(text)) {
				do := once
				once = nil
				do(context.WithoutCancel(r.Context()))
			}
			return next.RoundTrip(r)
		})
	}
}

// pointer is in the request that makes a state current, and in no other.
const pointer = "written_by = :req"

// tidied runs Tidy to its end.
func tidied(t *testing.T, s *ddbstore.Store) (all ddbstore.Tidied) {
	t.Helper()
	all, err := s.Tidy(context.WithoutCancel(t.Context()), 1000)
	if err != nil || all.More {
		t.Fatalf("%+v, %v", all, err)
	}
	return all
}

// Nothing but what broke off, or was refused, is tidied away, and only when it
// is old enough.
func TestTidy(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	for n := range 5 {
		writeState(t, s, fmt.Sprintf("refused-%d", n), "no-such-hold", plain(1, ""))
	}
	writeState(t, s, "prod", "", plain(1, ""))
	if got := tidied(t, s); got != (ddbstore.Tidied{}) {
		t.Errorf("at once: %+v", got)
	}
	clock = clock.Add(ddbstore.UploadGrace + time.Second)
	dropped := 0
	for {
		tidied, err := s.Tidy(t.Context(), 2)
		if err != nil || tidied.Dropped > 2 || tidied.Numbered+tidied.Left > 0 {
			t.Fatalf("%+v, %v", tidied, err)
		}
		if dropped += tidied.Dropped; !tidied.More {
			break
		}
	}
	if dropped != 5 {
		t.Errorf("%d dropped", dropped)
	}
	wantState(t, s, "prod", plain(1, ""))
	wantNoLeftovers(t, db)
	page, err := s.List(t.Context(), ddbstore.Query{})
	if err != nil || len(page.Locks) > 0 {
		t.Errorf("uploads are taken for locks: %+v, %v", page, err)
	}
}

// A writer that stands still between its upload and the write that makes it
// current, for however long, may still land. Until it can't any more, nothing of
// it is let go: whether its Settle comes or not, whatever Tidy does meanwhile.
func TestSleeperLands(t *testing.T) {
	t.Parallel()
	for name, lockID := range map[string]string{"under a lock": "id-a", "under a stale lock": "id-a", "without a lock": ""} {
		for _, dies := range []bool{false, true} {
			var s *ddbstore.Store
			clock := time.UnixMilli(start)
			asleep := false
			db := testdb.Open(t, func(next http.RoundTripper) http.RoundTripper {
				return roundTrip(func(r *http.Request) (*http.Response, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					if asleep && bytes.Contains(body, []byte(pointer)) {
						asleep = false
						clock = clock.Add(3 * ddbstore.UploadGrace)
						if got := tidied(t, s); got != (ddbstore.Tidied{Left: 1}) {
							t.Errorf("%s: %+v", name, got)
						}
					}
					return next.RoundTrip(r)
				})
			})
			s = ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
			if lockID != "" {
				hold := request(lockmodel.Acquire, "prod")
				hold.LockID = lockID
				do(t, s, hold)
			}
			if strings.Contains(name, "stale") {
				do(t, s, request(lockmodel.MarkStale, "prod"))
			}
			asleep = true
			body := noise(t, 800<<10)
			out, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "write", LockID: lockID}, body)
			if err != nil || out.Err() != nil {
				t.Fatal(err, out.Err())
			}
			want := ddbstore.Tidied{Numbered: 1} // by Tidy
			if !dies {
				want = ddbstore.Tidied{}
				if err := s.Settle(t.Context(), out); err != nil {
					t.Fatal(err)
				}
			}
			if got := tidied(t, s); got != want {
				t.Errorf("%s, dies %v: %+v", name, dies, got)
			}
			wantState(t, s, "prod", body)
			wantNoLeftovers(t, db)
			if got := numbers(t, s, "prod"); got != "1" {
				t.Errorf("%s: versions %s", name, got)
			}
		}
	}
}

// Whatever Tidy lets go can't land any more: its write is refused, however it
// was cut off.
func TestDroppedUploadIsRefused(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(*ddbstore.Store){
		"released": func(s *ddbstore.Store) { do(t, s, request(lockmodel.ReleaseLock, "prod")) },
		"another holds": func(s *ddbstore.Store) {
			do(t, s, request(lockmodel.ReleaseLock, "prod"))
			do(t, s, request(lockmodel.Acquire, "prod"))
		},
		"written meanwhile": func(s *ddbstore.Store) { writeState(t, s, "prod", "id-a", plain(7, "")) },
	} {
		var s *ddbstore.Store
		clock := time.UnixMilli(start)
		db := testdb.Open(t)
		options := ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }}
		s = ddbstore.New(db.Client, options)
		hold := request(lockmodel.Acquire, "prod")
		hold.LockID = "id-a"
		do(t, s, hold)
		sleeper := ddbstore.New(db.Through(t, before(pointer, func(context.Context) {
			clock = clock.Add(time.Second)
			ends(s)
			clock = clock.Add(2 * ddbstore.UploadGrace)
			if got := tidied(t, s); got.Dropped != 1 || got.Left != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		})), options)
		out, err := sleeper.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "write", LockID: "id-a"}, plain(8, "of the sleeper"))
		if err != nil || out.Rule.Done() {
			t.Errorf("%s: %+v, %v", name, out.Answer(), err)
		}
	}
}

// A version that was numbered after Tidy found it is kept.
func TestTidyKeepsWhatWasNumberedMeanwhile(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(start)
	db := testdb.Open(t)
	options := ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }}
	s := ddbstore.New(db.Client, options)
	// The first write's process dies before its Settle.
	if _, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "first"}, plain(1, "")); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(ddbstore.UploadGrace + time.Second)
	tidier := ddbstore.New(db.Through(t, before(`"sk":{"S":"lock"}`, func(context.Context) {
		writeState(t, s, "prod", "", plain(2, ""))
	})), options)
	if got := tidied(t, tidier); got.Dropped != 0 {
		t.Errorf("%+v", got)
	}
	if got := numbers(t, s, "prod"); got != "2 1" {
		t.Errorf("versions %s", got)
	}
	wantNoLeftovers(t, db)
}

// Tidy may break off anywhere in letting an upload go, and does the rest later.
func TestTidyBreaksOff(t *testing.T) {
	t.Parallel()
	for n := int64(0); ; n++ {
		clock := time.UnixMilli(start)
		db := testdb.Open(t)
		options := ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }}
		s := ddbstore.New(db.Client, options)
		writeState(t, s, "prod", "no-such-hold", noise(t, 800<<10))
		clock = clock.Add(ddbstore.UploadGrace + time.Second)
		d := &dying{after: n}
		_, err := ddbstore.New(db.Through(t, d.between), options).Tidy(t.Context(), 10)
		tidied(t, s)
		wantNoLeftovers(t, db)
		if err == nil {
			break
		}
	}
}

// A version is not lost by a Settle that did not come, when the state is deleted
// after it, nor by a repetition that another process settles.
func TestSettleThatDidNotCome(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*ddbstore.Store) (lockmodel.Outcome, error){
		"deleted": func(s *ddbstore.Store) (lockmodel.Outcome, error) {
			return s.Transition(t.Context(), lockmodel.Request{Op: lockmodel.WriteState, Workspace: "prod", ID: "DELETE"})
		},
		"another written, its reply lost": func(s *ddbstore.Store) (lockmodel.Outcome, error) {
			r := lockmodel.Request{Workspace: "prod", ID: "another"}
			if _, err := s.WriteState(t.Context(), r, plain(2, "")); err != nil {
				return lockmodel.Outcome{}, err
			}
			l, err := s.Lock(t.Context(), "prod")
			// What the SDK's own repetition of the write is told.
			r.Op, r.Version = lockmodel.WriteState, l.Version
			return lockmodel.Outcome{Request: r, Before: l, Lock: l}, err
		},
		"written again": func(s *ddbstore.Store) (lockmodel.Outcome, error) {
			return s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "write"}, plain(1, ""))
		},
	} {
		db, s := open(t)
		if _, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "write"}, plain(1, "")); err != nil {
			t.Fatal(err)
		}
		out, err := next(s)
		if err != nil || out.Err() != nil {
			t.Fatal(err, out.Err())
		}
		for _, settle := range []func(context.Context, lockmodel.Outcome) error{nil, s.Settle} {
			if settle != nil {
				if err := settle(t.Context(), out); err != nil {
					t.Fatal(err)
				}
			}
			state, err := s.VersionState(t.Context(), "prod", 1)
			if err != nil || string(state.Body) != string(plain(1, "")) {
				t.Errorf("%s: %q, %v", name, state.Body, err)
			}
		}
		for _, sk := range db.Sorts(t, "prod", "version#") {
			if item := db.Item(t, "prod", sk); item["version_no"] == nil && name != "written again" {
				t.Errorf("%s: %s has no number", name, sk)
			}
		}
	}
}

// An item that somebody else put into the index stops nobody.
func TestTidyPassesOtherHandsItems(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	db.SetItem(t, " ", "x", map[string]any{"st": "uploading", "at_ms": 1})
	db.SetItem(t, "a", "version#x", map[string]any{"st": "uploading", "at_ms": 1, "chunks": "many"})
	writeState(t, s, "refused", "no-such-hold", plain(1, ""))
	clock = clock.Add(ddbstore.UploadGrace + time.Second)
	if got := tidied(t, s); got != (ddbstore.Tidied{Dropped: 1, Left: 2}) {
		t.Errorf("%+v", got)
	}
}

// The oldest version that is kept goes when it is restored. A repetition of that
// finds it all the same, and is answered as the first try.
func TestRestoreTheOldestTwice(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, KeepVersions: 3})
	for serial := 1; serial <= 3; serial++ {
		writeState(t, s, "prod", "", plain(serial, ""))
	}
	// Serial numbers of what was refused don't count.
	writeState(t, s, "prod", "no-such-hold", plain(100, ""))
	hold := request(lockmodel.Acquire, "prod")
	do(t, s, hold)
	for try := range 3 {
		body, err := s.Restorable(t.Context(), "prod", 1)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "restore", LockID: hold.LockID, Restore: true}, body)
		if err != nil || out.Err() != nil || out.Wrote() != (try == 0) || out.Lock.VersionNo != 4 {
			t.Fatalf("try %d: %+v, %v", try, out.Answer(), err)
		}
		if err := s.Settle(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	wantState(t, s, "prod", plain(4, ""))
	if got := numbers(t, s, "prod"); got != "4 3 2" {
		t.Errorf("versions %s", got)
	}
}

// A late copy of an upload's request changes nothing.
func TestLateCopyOfAnUpload(t *testing.T) {
	t.Parallel()
	rec := &recorder{}
	db := testdb.Open(t, rec.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	writeState(t, s, "prod", "", plain(1, ""))
	before := map[string]any{}
	for _, sk := range db.Sorts(t, "prod", "") {
		before[sk] = db.Item(t, "prod", sk)
	}
	copies := 0
	for n, body := range rec.seen {
		if strings.Contains(body, `"S":"version#`) && strings.Contains(body, "at_ms") || strings.Contains(body, `"S":"chunk#`) {
			rec.put(t, n)
			copies++
		}
	}
	for _, sk := range db.Sorts(t, "prod", "") {
		if after := db.Item(t, "prod", sk); !reflect.DeepEqual(any(after), before[sk]) {
			t.Errorf("%s was %v, is %v", sk, before[sk], after)
		}
	}
	if copies != 2 {
		t.Errorf("%d copies", copies)
	}
}

// A hold that has lasted longer than any may is found by the sweep, whatever
// it writes.
func TestOverdueHoldIsFound(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, MaxHold: time.Hour, Now: func() time.Time { return clock }})
	hold := request(lockmodel.Acquire, "prod")
	hold.Lease = time.Hour.Milliseconds()
	do(t, s, hold)
	found := func() int {
		t.Helper()
		locks, _, err := s.Lapsed(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(locks)
	}
	clock = clock.Add(59 * time.Minute)
	writeState(t, s, "prod", hold.LockID, plain(1, ""))
	if n := found(); n != 0 {
		t.Errorf("%d found before its time", n)
	}
	clock = clock.Add(2 * time.Minute)
	if n := found(); n != 1 {
		t.Errorf("%d found", n)
	}
	if out := do(t, s, request(lockmodel.MarkStale, "prod")); out.Err() != nil {
		t.Error(out.Err())
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
