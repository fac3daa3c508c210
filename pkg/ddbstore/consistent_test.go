package ddbstore_test

import (
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// What is read of a workspace is what was written before, as far as DynamoDB can
// tell: of its locks, states, versions and history. Lists of locks come from
// indexes, which can't be read so.
func TestReadsAreConsistent(t *testing.T) {
	t.Parallel()
	var rec recorder
	db := testdb.Open(t, rec.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, KeepVersions: 1})
	hold := request(lockmodel.Acquire, "prod")
	do(t, s, hold)
	for serial := 1; serial <= 3; serial++ {
		writeState(t, s, "prod", hold.LockID, plain(serial, ""))
	}
	writeState(t, s, "prod", hold.LockID, noise(t, 800<<10))
	for name, read := range map[string]func() error{
		"lock":     func() error { _, err := s.Lock(t.Context(), "prod"); return err },
		"state":    func() error { _, err := s.State(t.Context(), "prod"); return err },
		"versions": func() error { _, err := s.Versions(t.Context(), "prod"); return err },
		"version":  func() error { _, err := s.VersionState(t.Context(), "prod", 4); return err },
		"restore":  func() error { _, err := s.Restorable(t.Context(), "prod", 4); return err },
		"history":  func() error { _, err := s.History(t.Context(), "prod", "", 0); return err },
	} {
		before := len(rec.seen)
		if err := read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(rec.seen) == before {
			t.Errorf("%s: nothing was asked", name)
		}
	}
	for _, request := range rec.seen {
		writes := strings.Contains(request, "UpdateExpression") || strings.Contains(request, `"Item":`)
		if !writes && !strings.Contains(request, `"ConsistentRead":true`) {
			t.Errorf("a read: %s", request)
		}
	}
}
