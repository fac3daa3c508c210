package ddbstore_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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
	if got := tidied(t, s); got != (ddbstore.Tidied{Left: 5}) {
		t.Errorf("after the grace: %+v", got)
	}
	clock = clock.Add(ddbstore.LongestPause + time.Second)
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
						clock = clock.Add(3 * ddbstore.LongestPause)
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
			clock = clock.Add(25 * time.Hour)
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

// sleeper is a client whose next lock write stands still until it is woken.
type sleeper struct {
	ddbstore.Client
	asleep, wake chan struct{}
}

func (c sleeper) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	close(c.asleep)
	<-c.wake
	return c.Client.UpdateItem(ctx, in, options...)
}

// Requests that stand still and then land in another order can take the lock's
// times back. What lands like that has no time to live.
func TestSleepersLandOutOfOrder(t *testing.T) {
	t.Parallel()
	type world struct {
		*ddbstore.Store
		// sleeps begins a request, which ends when what it returns is called.
		sleeps func(at time.Duration, do func(*ddbstore.Store) (lockmodel.Outcome, error)) (wakes func() lockmodel.Outcome)
		pass   func(at time.Duration)
	}
	write := func(id string) func(*ddbstore.Store) (lockmodel.Outcome, error) {
		return func(s *ddbstore.Store) (lockmodel.Outcome, error) {
			return s.WriteState(context.WithoutCancel(t.Context()), lockmodel.Request{Workspace: "prod", ID: id}, []byte(id))
		}
	}
	for name, happens := range map[string]func(world) (last lockmodel.Outcome){
		"a release, then a write without a lock": func(w world) lockmodel.Outcome {
			do(t, w.Store, request(lockmodel.Acquire, "prod"))
			released := w.sleeps(time.Minute, func(s *ddbstore.Store) (lockmodel.Outcome, error) {
				return s.Transition(context.WithoutCancel(t.Context()), request(lockmodel.ReleaseLock, "prod"))
			})
			written := w.sleeps(2*time.Minute, write("one"))
			w.pass(3 * time.Hour)
			released()
			return written()
		},
		"a release of a lock that was marked meanwhile": func(w world) lockmodel.Outcome {
			hold := request(lockmodel.Acquire, "prod")
			hold.LockID = "id-a"
			do(t, w.Store, hold)
			release := request(lockmodel.ReleaseLock, "prod")
			release.LockID = "id-a"
			released := w.sleeps(time.Minute, func(s *ddbstore.Store) (lockmodel.Outcome, error) {
				return s.Transition(context.WithoutCancel(t.Context()), release)
			})
			written := w.sleeps(2*time.Minute, write("one"))
			w.pass(3 * time.Hour)
			do(t, w.Store, request(lockmodel.MarkStale, "prod"))
			w.pass(6 * time.Hour)
			released()
			return written()
		},
		"a copy of the acquire, then a write of its hold": func(w world) lockmodel.Outcome {
			named := func(o lockmodel.Op, id string) lockmodel.Request {
				r := request(o, "prod")
				r.LockID = id
				return r
			}
			first := named(lockmodel.Acquire, "id-a")
			do(t, w.Store, first)
			acquired := w.sleeps(100*time.Millisecond, func(s *ddbstore.Store) (lockmodel.Outcome, error) {
				return s.Transition(context.WithoutCancel(t.Context()), first)
			})
			written := w.sleeps(200*time.Millisecond, func(s *ddbstore.Store) (lockmodel.Outcome, error) {
				return s.WriteState(context.WithoutCancel(t.Context()), lockmodel.Request{Workspace: "prod", ID: "one", LockID: "id-a"}, []byte("one"))
			})
			w.pass(300 * time.Millisecond)
			for _, r := range []lockmodel.Request{named(lockmodel.ReleaseLock, "id-a"), named(lockmodel.Acquire, "id-b"), named(lockmodel.ReleaseLock, "id-b")} {
				do(t, w.Store, r)
			}
			w.pass(3 * time.Hour)
			acquired()
			return written()
		},
		"writes, within the skew": func(w world) lockmodel.Outcome {
			writeState(t, w.Store, "prod", "", []byte("zero"))
			one := w.sleeps(time.Hour, write("one"))
			two := w.sleeps(time.Hour+200*time.Millisecond, write("two"))
			w.pass(time.Hour + 260*time.Millisecond)
			writeState(t, w.Store, "prod", "", []byte("three"))
			w.pass(4 * time.Hour)
			two()
			return one()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testdb.Open(t)
			clock := time.UnixMilli(start)
			options := ddbstore.Options{Table: db.Table, ClockSkew: 250 * time.Millisecond, Now: func() time.Time { return clock }}
			w := world{Store: ddbstore.New(db.Client, options)}
			w.pass = func(at time.Duration) {
				clock = time.UnixMilli(start).Add(at)
				tidied(t, w.Store)
			}
			w.sleeps = func(at time.Duration, do func(*ddbstore.Store) (lockmodel.Outcome, error)) func() lockmodel.Outcome {
				clock = time.UnixMilli(start).Add(at)
				c := sleeper{db.Client, make(chan struct{}), make(chan struct{})}
				done := make(chan lockmodel.Outcome)
				go func() {
					out, err := do(ddbstore.New(c, options))
					if err != nil {
						t.Error(err)
					}
					done <- out
				}()
				<-c.asleep
				return func() lockmodel.Outcome {
					close(c.wake)
					return <-done
				}
			}
			out := happens(w)
			if !out.Wrote() {
				t.Fatalf("the last did not land: %+v", out.Answer())
			}
			if err := w.Settle(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			wantState(t, w.Store, "prod", []byte("one"))
			wantNoLeftovers(t, db)
		})
	}
}

// Uploads that must be left don't keep Tidy from what comes after them.
func TestTidyGoesOn(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	hold := request(lockmodel.Acquire, "a")
	hold.LockID = "id-a"
	do(t, s, hold)
	for range 3 { // the second and third are refused, by their serial number
		writeState(t, s, "a", "id-a", plain(1, ""))
	}
	writeState(t, s, "b", "no-such-hold", plain(1, ""))
	clock = clock.Add(2 * ddbstore.LongestPause)
	var all ddbstore.Tidied
	for range 2 {
		part, err := s.Tidy(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		all.Left, all.Dropped = all.Left+part.Left, all.Dropped+part.Dropped
	}
	if all.Left != 2 || all.Dropped != 1 {
		t.Errorf("%+v", all)
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
		clock = clock.Add(ddbstore.LongestPause + time.Second)
		d := &dying{after: n}
		_, err := ddbstore.New(db.Through(t, d.between), options).Tidy(t.Context(), 10)
		tidied(t, s)
		wantNoLeftovers(t, db)
		if err == nil {
			break
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
	clock = clock.Add(ddbstore.LongestPause + time.Second)
	if got := tidied(t, s); got != (ddbstore.Tidied{Dropped: 1, Left: 2}) {
		t.Errorf("%+v", got)
	}
}
