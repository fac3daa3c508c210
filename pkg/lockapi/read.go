package lockapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// read serves GET /v1/locks/{ws...}.
func (a *API) read(r *http.Request) (int, any) {
	return a.lockState(r.Context(), r.PathValue("ws"))
}

func (a *API) lockState(ctx context.Context, ws string) (int, any) {
	if err := may(ctx, auth.Read, ws); err != nil {
		return a.failed(ctx, err)
	}
	l, err := a.store.Lock(ctx, ws)
	if err != nil {
		return a.failed(ctx, err)
	}
	return http.StatusOK, l.View(a.store.Terms())
}

// listing is the JSON of a page of locks.
type listing struct {
	Locks []lockmodel.View `json:"locks"`
	// Cursor continues the list; it is missing on the last page.
	Cursor string `json:"cursor,omitempty"`
}

// list serves GET /v1/locks.
func (a *API) list(r *http.Request) (int, any) {
	q, err := listQuery(r)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	if err := mayAnywhere(r.Context(), auth.Read); err != nil {
		return a.failed(r.Context(), err)
	}
	if _, told := callerOf(r.Context()); told {
		q.Shown = func(ws string) bool { return may(r.Context(), auth.Read, ws) == nil }
	}
	page, err := a.store.List(r.Context(), q)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	l := listing{Locks: make([]lockmodel.View, 0, len(page.Locks)), Cursor: page.Next}
	for _, lock := range page.Locks {
		l.Locks = append(l.Locks, lock.View(a.store.Terms()))
	}
	return http.StatusOK, l
}

// listQuery reads the query parameters as strictly as bodies are read.
func listQuery(r *http.Request) (ddbstore.Query, error) {
	var q ddbstore.Query
	p, err := parameters(r, "state", "prefix", "limit", "cursor")
	if err != nil {
		return q, err
	}
	q.State, q.Prefix, q.Cursor = p["state"], p["prefix"], p["cursor"]
	q.Limit, err = limit(p)
	return q, err
}

// parameters reads the query, in which each of the named parameters may stand
// once and no other.
func parameters(r *http.Request, names ...string) (map[string]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, &lockmodel.FieldError{Field: "query", Problem: "not well-formed"}
	}
	all := make(map[string]string, len(query))
	for name, values := range query {
		if !slices.Contains(names, name) {
			return nil, &lockmodel.FieldError{Field: clip(name), Problem: "there is no such parameter; there are " + strings.Join(names, ", ")}
		}
		if len(values) > 1 {
			return nil, &lockmodel.FieldError{Field: name, Problem: "given twice"}
		}
		all[name] = values[0]
	}
	return all, nil
}

// limit reads the parameter of that name; 0 where it is missing.
func limit(parameters map[string]string) (int, error) {
	text, ok := parameters["limit"]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, &lockmodel.FieldError{Field: "limit", Problem: "must be a whole number from 1"}
	}
	return n, nil
}
