package lockapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Event is an event as callers see it, in JSON.
type Event struct {
	At        time.Time       `json:"at"`
	Op        string          `json:"op"`
	From      lockmodel.State `json:"from"`
	To        lockmodel.State `json:"to"`
	Fence     int64           `json:"fence"`
	LockID    string          `json:"lock_id"`
	Owner     string          `json:"owner"`
	By        string          `json:"by"`
	Reason    string          `json:"reason,omitempty"`
	RequestID string          `json:"request_id"`
}

// chronicle is the JSON of a page of history.
type chronicle struct {
	Events []Event `json:"events"`
	// Cursor continues the list; it is missing on the last page.
	Cursor string `json:"cursor,omitempty"`
}

// history serves GET /v1/history/{ws...}.
func (a *API) history(r *http.Request) (int, any) {
	p, err := parameters(r, "limit", "cursor")
	if err != nil {
		return a.failed(r.Context(), err)
	}
	most, err := limit(p)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	if err := may(r.Context(), auth.Read, r.PathValue("ws")); err != nil {
		return a.failed(r.Context(), err)
	}
	page, err := a.store.History(r.Context(), r.PathValue("ws"), p["cursor"], most)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	c := chronicle{Events: make([]Event, 0, len(page.Events)), Cursor: page.Next}
	for _, e := range page.Events {
		c.Events = append(c.Events, Event{
			At: time.UnixMilli(e.At).UTC(), Op: e.Op.String(), From: e.From, To: e.To, Fence: e.Fence,
			LockID: e.LockID, Owner: e.Runner, By: e.By, Reason: e.Reason, RequestID: e.RequestID,
		})
	}
	return http.StatusOK, c
}

// Recorder writes events: a ddbstore.Recorder.
type Recorder interface {
	Record(context.Context, lockmodel.Event) error
}

// Recorded is a store that records what its transitions did, for where no
// stream of the table does. The record is made after the transition and is no
// part of it: a failure is logged, and a process that dies between the two
// leaves the event out.
func Recorded(store Store, recorder Recorder, log *slog.Logger) Store {
	return recorded{store, recorder, log}
}

type recorded struct {
	Store
	recorder Recorder
	log      *slog.Logger
}

// Transition performs the transition and records it.
func (s recorded) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	out, err := s.Store.Transition(ctx, r)
	if err != nil || !out.Wrote() {
		return out, err
	}
	if e, ok := lockmodel.EventOf(out.Before, out.Lock); ok {
		// The caller may be gone, but it happened.
		if err := s.recorder.Record(context.WithoutCancel(ctx), e); err != nil {
			s.log.LogAttrs(ctx, slog.LevelError, "a transition was not recorded",
				slog.String("op", e.Op.String()), slog.String("ws", e.Workspace), slog.String("error", err.Error()))
		}
	}
	return out, nil
}
