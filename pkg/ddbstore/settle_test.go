package ddbstore_test

import (
	"context"
	"testing"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

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
