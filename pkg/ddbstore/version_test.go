package ddbstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// numbers lists the versions that there are.
func numbers(t *testing.T, s *ddbstore.Store, ws string) string {
	t.Helper()
	versions, err := s.Versions(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for n, v := range versions {
		all = append(all, fmt.Sprint(v.Number))
		if v.Current != (n == 0) {
			t.Errorf("version %d: current %v", v.Number, v.Current)
		}
	}
	return strings.Join(all, " ")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, KeepVersions: 3})
	hold := request(lockmodel.Acquire, "prod")
	do(t, s, hold)
	for serial := 1; serial <= 5; serial++ {
		writeState(t, s, "prod", hold.LockID, plain(serial, ""))
	}
	if got := numbers(t, s, "prod"); got != "5 4 3" {
		t.Errorf("versions %s", got)
	}
	wantNoLeftovers(t, db)
	versions, err := s.Versions(t.Context(), "prod")
	if err != nil {
		t.Fatal(err)
	}
	if v := versions[2]; v.Serial != 3 || v.Lineage != "f00d" || v.Size != int64(len(plain(3, ""))) || v.By != lockmodel.Anonymous || v.LockID != hold.LockID {
		t.Errorf("%+v", v)
	}
	for number, want := range map[int64]error{0: ddbstore.ErrNoState, 2: ddbstore.ErrNoState, 6: ddbstore.ErrNoState, 3: nil, 5: nil} {
		state, err := s.VersionState(t.Context(), "prod", number)
		if !errors.Is(err, want) || want == nil && string(state.Body) != string(plain(int(number), "")) {
			t.Errorf("version %d: %q, %v", number, state.Body, err)
		}
	}
	// Without a serial number.
	writeState(t, s, "prod", hold.LockID, []byte("opaque"))
	if versions, err = s.Versions(t.Context(), "prod"); err != nil || versions[0].Serial != lockmodel.Missing || versions[0].Number != 6 {
		t.Errorf("%+v, %v", versions, err)
	}
}

// Whatever the expression adds to must be a number. DynamoDB refuses the rest,
// and nothing is claimed about it.
func TestTamperedCounters(t *testing.T) {
	t.Parallel()
	for _, attr := range []string{"version_no", "lease"} {
		db, s := open(t)
		hold := request(lockmodel.Acquire, "prod")
		do(t, s, hold)
		db.Set(t, "prod", map[string]any{attr: "many"})
		before := db.Get(t, "prod")
		_, err := s.WriteState(t.Context(), lockmodel.Request{Workspace: "prod", ID: "r", LockID: hold.LockID}, plain(1, ""))
		if !errors.Is(err, ddbstore.ErrTableDisagrees) {
			t.Errorf("%s: error %v", attr, err)
		}
		unchanged(t, db, before)
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

// Of a version on its way out any part may be gone first. Then it isn't kept, and
// nothing is damaged.
func TestRestoreWhatIsGoing(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, KeepVersions: 1})
	writeState(t, s, "prod", "", plain(1, ""))
	first := db.Sorts(t, "prod", "chunk#")[0]
	writeState(t, s, "prod", "", plain(2, ""))
	if body, err := s.Restorable(t.Context(), "prod", 1); err != nil || !bytes.Contains(body, []byte(`"serial":3`)) {
		t.Fatalf("%q, %v", body, err)
	}
	db.Remove(t, "prod", first)
	if _, err := s.Restorable(t.Context(), "prod", 1); !errors.Is(err, ddbstore.ErrNoState) {
		t.Errorf("error %v", err)
	}
	db.Remove(t, "prod", db.Sorts(t, "prod", "chunk#")[0])
	if _, err := s.Restorable(t.Context(), "prod", 2); !errors.Is(err, ddbstore.ErrStateDamaged) {
		t.Errorf("the current state, damaged: error %v", err)
	}
}
