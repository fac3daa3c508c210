package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Status reads one lock as it is now. A workspace never seen is unlocked.
func (c *Client) Status(ctx context.Context, ws string) (View, error) {
	if err := lockmodel.CheckWorkspace(ws); err != nil {
		return View{}, err
	}
	var v View
	_, err := c.send(ctx, c.query(opStatus, "/v1/locks/"+ws, into(&v, func(v View) bool { return v.Workspace == ws && (v.State != "" || v.Torn) })))
	return v, err
}

// Query says which locks to list.
type Query struct {
	// State is the state to list; "" lists the held and then the stale.
	State lockmodel.State
	// Prefix is how the workspaces' names start.
	Prefix string
	// Page is how many locks to ask for at a time, 0 for the service's default.
	Page int
}

// List gives locks in the order of their names within each state, page by
// page as they are taken. After an error it ends. The list may be moments
// behind; Status is not.
func (c *Client) List(ctx context.Context, q Query) iter.Seq2[View, error] {
	parameters := url.Values{}
	for name, value := range map[string]string{"state": q.State, "prefix": q.Prefix} {
		if value != "" {
			parameters.Set(name, value)
		}
	}
	if q.Page != 0 {
		parameters.Set("limit", strconv.Itoa(q.Page))
	}
	type listing struct {
		Locks  []View
		Cursor string
	}
	return pages(ctx, c, opList, "/v1/locks", parameters, func(p listing) ([]View, string) { return p.Locks, p.Cursor })
}

// Event is a transition as the service remembers it.
type Event = lockapi.Event

// History gives the transitions of a workspace's lock, the latest first, page by
// page as they are taken. After an error it ends. On AWS the latest may be
// moments behind.
func (c *Client) History(ctx context.Context, workspace string) iter.Seq2[Event, error] {
	if err := lockmodel.CheckWorkspace(workspace); err != nil {
		return func(yield func(Event, error) bool) { yield(Event{}, err) }
	}
	type chronicle struct {
		Events []Event
		Cursor string
	}
	return pages(ctx, c, opHistory, "/v1/history/"+workspace, url.Values{}, func(p chronicle) ([]Event, string) { return p.Events, p.Cursor })
}

// pages reads a list page by page; open gives what is on a page, which is not
// nil where the answer is one, and how to go on, "" at the end.
func pages[Page, T any](ctx context.Context, c *Client, op, path string, parameters url.Values, open func(Page) ([]T, string)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			var page Page
			isPage := func(p Page) bool { items, _ := open(p); return items != nil }
			if _, err := c.send(ctx, c.query(op, path+"?"+parameters.Encode(), into(&page, isPage))); err != nil {
				yield(*new(T), err)
				return
			}
			items, cursor := open(page)
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor == "" {
				return
			}
			parameters.Set("cursor", cursor)
		}
	}
}

// Hold names a hold to act on.
type Hold struct {
	Workspace string
	// LockID is the only hold that may be touched; "" for whichever there is.
	LockID string
	// Runner, if not "", demands that the hold is this runner's.
	Runner string
}

// Renew asks that the hold's lease end no earlier than after the given time,
// in whole seconds, and gives the lock as it is then.
func (c *Client) Renew(ctx context.Context, h Hold, lease time.Duration) (View, error) {
	seconds, err := wholeSeconds(lease)
	if err != nil {
		return View{}, err
	}
	var a lockmodel.Answer
	d := h.document()
	d.Lease = &seconds
	_, err = c.send(ctx, c.transition(opRenew, uuid.NewString(), d, &a))
	return a.Lock, err
}

// Release ends the holder's own hold, stale or not.
func (c *Client) Release(ctx context.Context, h Hold) (View, error) {
	return c.act(ctx, opRelease, h, "")
}

// MarkStale records the suspicion that the holder is gone, and why ("" where it
// isn't said). It is refused while the holder's lease is live.
func (c *Client) MarkStale(ctx context.Context, h Hold, reason string) (View, error) {
	return c.act(ctx, opMarkStale, h, reason)
}

// ForceUnlock frees a stale lock, and records why ("" where it isn't said).
// Name its LockID, so that no other hold than the one you looked at can be
// meant.
func (c *Client) ForceUnlock(ctx context.Context, h Hold, reason string) (View, error) {
	return c.act(ctx, opForceUnlock, h, reason)
}

func (c *Client) act(ctx context.Context, op string, h Hold, reason string) (View, error) {
	var a lockmodel.Answer
	d := h.document()
	d.Reason = reason
	_, err := c.send(ctx, c.transition(op, uuid.NewString(), d, &a))
	return a.Lock, err
}

func (h Hold) document() document {
	return document{Workspace: h.Workspace, LockID: h.LockID, Runner: h.Runner}
}

func wholeSeconds(lease time.Duration) (int64, error) {
	if lease%time.Second != 0 || lease < 0 {
		return 0, &lockmodel.FieldError{Field: "lease_seconds", Problem: "must be a whole number of seconds"}
	}
	return int64(lease / time.Second), nil
}
