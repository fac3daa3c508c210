package ddbstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// names lists the workspaces of all pages of q.
func names(t *testing.T, s *ddbstore.Store, q ddbstore.Query) (all []string, pages int) {
	t.Helper()
	for {
		page, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if q.Limit != 0 && len(page.Locks) > q.Limit {
			t.Errorf("%d locks on a page of %d", len(page.Locks), q.Limit)
		}
		for _, l := range page.Locks {
			all = append(all, l.Workspace+" "+l.State)
		}
		pages++
		if page.Next == "" {
			return all, pages
		}
		q.Cursor = page.Next
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	for _, ws := range []string{"a/held", "b/held", "b/held2", "a/stale", "b/stale", "a/free"} {
		do(t, s, request(lockmodel.Acquire, ws))
		if strings.Contains(ws, "stale") {
			do(t, s, request(lockmodel.MarkStale, ws))
		}
		if strings.Contains(ws, "free") {
			do(t, s, request(lockmodel.ReleaseLock, ws))
		}
	}
	for _, c := range []struct {
		q    ddbstore.Query
		want []string
	}{
		{ddbstore.Query{}, []string{"a/held held", "b/held held", "b/held2 held", "a/stale stale", "b/stale stale"}},
		{ddbstore.Query{State: lockmodel.Held}, []string{"a/held held", "b/held held", "b/held2 held"}},
		{ddbstore.Query{State: lockmodel.Unlocked}, []string{"a/free unlocked"}},
		{ddbstore.Query{Prefix: "b/"}, []string{"b/held held", "b/held2 held", "b/stale stale"}},
		{ddbstore.Query{Prefix: "b/held2", State: lockmodel.Held}, []string{"b/held2 held"}},
		{ddbstore.Query{Prefix: "c"}, nil},
		{ddbstore.Query{Shown: func(ws string) bool { return strings.HasPrefix(ws, "b/") }}, []string{"b/held held", "b/held2 held", "b/stale stale"}},
		{ddbstore.Query{Shown: func(ws string) bool { return ws == "a/stale" }}, []string{"a/stale stale"}},
		{ddbstore.Query{Shown: func(string) bool { return false }}, nil},
	} {
		for limit := range 7 {
			c.q.Limit = limit
			if got, _ := names(t, s, c.q); !slices.Equal(got, c.want) {
				t.Errorf("%+v: %v, want %v", c.q, got, c.want)
			}
		}
	}
}

// Listing costs what is held or stale, not what was ever seen.
func TestListDoesNotScan(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	for n := range 300 {
		ws := fmt.Sprintf("ws-%d", n)
		do(t, s, request(lockmodel.Acquire, ws))
		do(t, s, request(lockmodel.ReleaseLock, ws))
	}
	do(t, s, request(lockmodel.Acquire, "ws-7"))
	db.Requests()
	got, pages := names(t, s, ddbstore.Query{Limit: 5})
	if len(got) != 1 || pages != 1 {
		t.Errorf("%v on %d pages", got, pages)
	}
	if n := db.Requests(); n != 2 {
		t.Errorf("%d requests for 1 held lock among 300, want one for each state", n)
	}
}

func TestListSendsQueries(t *testing.T) {
	t.Parallel()
	var rec recorder
	db := testdb.Open(t, rec.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	if _, err := s.List(t.Context(), ddbstore.Query{Prefix: "a"}); err != nil {
		t.Fatal(err)
	}
	for _, body := range rec.seen {
		if !strings.Contains(body, `"IndexName":"by_state"`) || !strings.Contains(body, `"KeyConditionExpression":"st = :state AND begins_with(ws, :prefix)"`) {
			t.Errorf("sent %s", body)
		}
	}
}

func TestListChecksItsQuery(t *testing.T) {
	t.Parallel()
	db, s := open(t)
	for _, ws := range []string{"a", "b"} {
		do(t, s, request(lockmodel.Acquire, ws))
	}
	page, err := s.List(t.Context(), ddbstore.Query{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	db.Requests()
	for field, q := range map[string]ddbstore.Query{
		"state":    {State: "locked"},
		"prefix":   {Prefix: "a b"},
		"limit":    {Limit: ddbstore.MaxPage + 1},
		"cursor":   {Cursor: "x"},
		"cursor 2": {Cursor: page.Next, State: lockmodel.Stale},
		"cursor 3": {Cursor: page.Next, Prefix: "z"},
	} {
		_, err := s.List(t.Context(), q)
		want, _, _ := strings.Cut(field, " ")
		if bad, ok := errors.AsType[*lockmodel.FieldError](err); !ok || bad.Field != want {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if n := db.Requests(); n != 0 {
		t.Errorf("%d requests sent", n)
	}
}
