package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

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
	return func(yield func(View, error) bool) {
		parameters := url.Values{}
		set := func(name, value string) {
			if value != "" {
				parameters.Set(name, value)
			}
		}
		set("state", q.State)
		set("prefix", q.Prefix)
		if q.Page != 0 {
			set("limit", strconv.Itoa(q.Page))
		}
		for {
			var page listing
			if _, err := c.send(ctx, c.query(opList, "/v1/locks?"+parameters.Encode(), into(&page, func(p listing) bool { return p.Locks != nil }))); err != nil {
				yield(View{}, err)
				return
			}
			for _, v := range page.Locks {
				if !yield(v, nil) {
					return
				}
			}
			if page.Cursor == "" {
				return
			}
			set("cursor", page.Cursor)
		}
	}
}

// listing is a page of locks.
type listing struct {
	Locks  []View
	Cursor string
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
