package lockapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// read serves GET /v1/locks/{ws...}.
func (a *API) read(r *http.Request) (int, any) {
	return a.lockState(r.Context(), r.PathValue("ws"))
}

func (a *API) lockState(ctx context.Context, ws string) (int, any) {
	l, err := a.store.Lock(ctx, ws)
	if err != nil {
		return a.failed(ctx, err)
	}
	return http.StatusOK, l.View()
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
	page, err := a.store.List(r.Context(), q)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	l := listing{Locks: make([]lockmodel.View, 0, len(page.Locks)), Cursor: page.Next}
	for _, lock := range page.Locks {
		l.Locks = append(l.Locks, lock.View())
	}
	return http.StatusOK, l
}

// listQuery reads the query parameters as strictly as bodies are read.
func listQuery(r *http.Request) (ddbstore.Query, error) {
	var q ddbstore.Query
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, &lockmodel.FieldError{Field: "query", Problem: "not well-formed"}
	}
	for name, values := range parameters {
		if len(values) > 1 {
			return q, &lockmodel.FieldError{Field: clip(name), Problem: "given twice"}
		}
		value := values[0]
		switch name {
		case "state":
			q.State = value
		case "prefix":
			q.Prefix = value
		case "cursor":
			q.Cursor = value
		case "limit":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return q, &lockmodel.FieldError{Field: "limit", Problem: "must be a whole number from 1"}
			}
			q.Limit = n
		default:
			return q, &lockmodel.FieldError{Field: clip(name), Problem: "there is no such parameter; there are state, prefix, limit, cursor"}
		}
	}
	return q, nil
}
