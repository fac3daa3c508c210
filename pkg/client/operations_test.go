package client

import (
	"fmt"
	"testing"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

func TestOperatorsWay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, Request{Workspace: "prod", Runner: "ci-7"})
		h := Hold{Workspace: "prod", LockID: l.ID()}
		_, err := w.ForceUnlock(t.Context(), h, "")
		if as[*HeldError](t, err).Code != lockmodel.CodeNotStale {
			t.Error(err)
		}
		if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod", LockID: "another"}, ""); as[*HeldError](t, err).Code != lockmodel.CodeNotHolder {
			t.Error(err)
		}
		w.set(lostReply, "/v1/mark-stale", 1)
		if v, err := w.MarkStale(t.Context(), h, "no answer from it"); err != nil || v.State != lockmodel.Stale || v.Reason != "no answer from it" {
			t.Error(v, err)
		}
		if _, err := w.MarkStale(t.Context(), h, ""); as[*RefusedError](t, err).Code != lockmodel.CodeStale {
			t.Error(err)
		}
		if _, err := w.Renew(t.Context(), h, minute); as[*RefusedError](t, err).Code != lockmodel.CodeStale {
			t.Error(err)
		}
		w.set(lostReply, "/v1/force-unlock", 1)
		if v, err := w.ForceUnlock(t.Context(), h, ""); err != nil || v.State != lockmodel.Unlocked {
			t.Error(v, err)
		}
		if _, err := w.ForceUnlock(t.Context(), h, ""); as[*RefusedError](t, err).Code != lockmodel.CodeNotStale {
			t.Error(err)
		}
		if _, err := w.Release(t.Context(), h); as[*RefusedError](t, err).Code != lockmodel.CodeNotHeld {
			t.Error(err)
		}
	})
}

func TestListIsPaged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		for n := range 25 {
			w.acquire(t, Request{Workspace: fmt.Sprintf("team/%02d", n), Runner: "ci-7"})
		}
		w.acquire(t, prod)
		names := func(q Query) (all []string) {
			for v, err := range w.List(t.Context(), q) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, v.Workspace)
			}
			return all
		}
		if all := names(Query{Page: 4}); len(all) != 26 || all[0] != "prod" || all[25] != "team/24" {
			t.Errorf("all: %v", all)
		}
		if n := w.count("/v1/locks"); n != 7 {
			t.Errorf("%d pages", n)
		}
		if all := names(Query{Prefix: "team/1"}); len(all) != 10 {
			t.Errorf("by prefix: %v", all)
		}
		if all := names(Query{State: lockmodel.Stale}); len(all) != 0 {
			t.Errorf("stale: %v", all)
		}
		for _, err := range w.List(t.Context(), Query{State: "locked"}) {
			if as[*RefusedError](t, err).Field != "state" {
				t.Error(err)
			}
		}
	})
}
