package client

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Request asks for a lock.
type Request struct {
	// Workspace names the lock.
	Workspace string
	// Runner says who acquires it, for others to read. Required.
	Runner string
	// LockID names the new hold; "" has one made, a UUID. No two acquisitions
	// may share one: the same again is the same acquisition. Under an id of the
	// caller's, what an acquire may have got is the caller's to release: it may
	// be a hold that is at work already.
	LockID string
	// Lease is for how long the lock is kept without a renewal, in whole
	// seconds, or NoLease. 0 stands for the service's default, which may be none.
	Lease time.Duration
	// Wait is for how long to ask again while somebody else holds the lock.
	Wait time.Duration
	// TakeLapsed lets a waiter free the lock of a holder whose lease has
	// lapsed, in the legal way: mark it stale, force-unlock it, acquire. A lock
	// without a lease is never taken so.
	TakeLapsed bool
	// Waiting, if not nil, is called before each pause of a waiter with the
	// *HeldError or *UnreachableError that makes it wait.
	Waiting func(error)
}

// Acquire takes the lock. Where it has a lease, it is renewed in the background
// until it is released, abandoned or lost; ctx ends the acquiring only.
//
// Errors are *HeldError, where somebody holds the lock and Wait is over;
// *RefusedError; *UnreachableError; and *lockmodel.FieldError. After one whose
// outcome is unsure, Acquire has tried to release what it may have got, unless
// the request names its LockID.
func (c *Client) Acquire(ctx context.Context, r Request) (*Lock, error) {
	l, err := c.acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	l.start(ctx)
	return l, nil
}

// AcquireOnly is Acquire for somebody who ends before the lock is released,
// and renews it otherwise or not at all: nothing goes on in the background, and
// Lost is never closed.
func (c *Client) AcquireOnly(ctx context.Context, r Request) (*Lock, error) { return c.acquire(ctx, r) }

func (c *Client) acquire(ctx context.Context, r Request) (*Lock, error) {
	giveBack := func() {}
	if r.LockID == "" {
		r.LockID = uuid.NewString()
		giveBack = func() { c.giveBack(ctx, r) }
	}
	d := document{Workspace: r.Workspace, Runner: r.Runner, LockID: r.LockID}
	if r.Lease == NoLease {
		d.Lease = new(int64)
	} else if r.Lease != 0 {
		seconds, err := wholeSeconds(r.Lease)
		if err != nil {
			return nil, err
		}
		d.Lease = &seconds
	}
	start := time.Now()
	var heard bool  // an outage ends no waiting, but a service never heard of does
	var unsure bool // it may be ours, and nobody has said
	for until, late := start.Add(r.Wait), 0; ; {
		var a lockmodel.Answer
		got, err := c.send(ctx, c.transition(opAcquire, uuid.NewString(), d, &a))
		if err == nil {
			l := c.newLock(a, got.sent)
			if !a.Repeat || l.lease == 0 {
				return l, nil
			}
			// Some earlier try got it, no one knows which: be sure by a renewal.
			l.until = start.Add(l.lease)
			if err := l.assure(ctx); err != nil {
				giveBack()
				return nil, err
			}
			return l, nil
		}
		held, isHeld := errors.AsType[*HeldError](err)
		refused, isRefused := errors.AsType[*RefusedError](err)
		lost, isLost := errors.AsType[*UnreachableError](err)
		heard = heard || isHeld
		// A verdict on the lock settles what came before; one on who asks, or on
		// the way there, doesn't.
		settled := isHeld || isRefused && refused.Lock.Workspace != ""
		unsure = !settled && (unsure || got.unsure || isLost && lost.Unsure)
		switch {
		case isRefused && refused.Code == lockmodel.CodeLate && late < 5:
			late++ // the lock was freed meanwhile: no reason to wait
			pause(ctx, around(200*time.Millisecond))
			continue
		case isHeld && r.TakeLapsed && c.takeLapsed(ctx, held.Holder, r.Runner):
			continue
		case isHeld, isLost && heard && ctx.Err() == nil:
			if left := time.Until(until); left > 0 {
				if r.Waiting != nil {
					r.Waiting(err)
				}
				pause(ctx, min(around(c.options.Poll), left))
				if ctx.Err() == nil {
					continue
				}
				err = &UnreachableError{Op: opAcquire, Err: context.Cause(ctx)}
			}
		}
		if unsure {
			giveBack()
		}
		return nil, err
	}
}

// giveBack releases what an acquire may have got whose reply never came.
func (c *Client) giveBack(ctx context.Context, r Request) {
	var a lockmodel.Answer
	cl := c.transition(opRelease, uuid.NewString(), document{Workspace: r.Workspace, LockID: r.LockID}, &a)
	cl.tries.patience = min(cl.tries.patience, 3*time.Second)
	// It is refused where nothing was got, and where it fails nothing more can
	// be done.
	_, _ = c.send(context.WithoutCancel(ctx), cl)
}

// takeLapsed frees the lock of a holder whose lease has lapsed, as far as the
// service lets it, and tells whether the lock is free.
func (c *Client) takeLapsed(ctx context.Context, v View, runner string) bool {
	lapses, err := time.Parse(time.RFC3339, v.LeaseUntil)
	if err != nil || v.State == lockmodel.Held && time.Until(lapses) > 0 {
		return false // a stale lock's lease has lapsed, whatever this machine's clock says
	}
	h, why := Hold{Workspace: v.Workspace, LockID: v.LockID}, "lease lapsed; taken by "+runner
	if v.State == lockmodel.Held {
		if _, err := c.MarkStale(ctx, h, why); err != nil {
			return false // the service's clock decides, and others do the same
		}
	}
	_, err = c.ForceUnlock(ctx, h, why)
	return err == nil
}
