package client

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// start begins to keep a lock that has a lease.
func (l *Lock) start(ctx context.Context) {
	if l.lease == 0 {
		return
	}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.mu.Lock()
	l.expiry = time.AfterFunc(time.Until(l.until), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.expire()
	})
	l.mu.Unlock()
	l.kept.Go(func() { l.keep(ctx) })
}

// keep renews the lease until ctx ends or the service refuses. It goes on after
// the belief has ended: whoever is winding up is still better alone.
func (l *Lock) keep(ctx context.Context) {
	for {
		pause(ctx, near(l.lease/3))
		if ctx.Err() != nil {
			return
		}
		cl := l.renewal()
		cl.tries = tries{timeout: min(l.client.options.TryTimeout, l.lease/6), pause: min(2*time.Second, l.lease/10), stubborn: true}
		if err := l.extend(ctx, cl); err != nil {
			l.doubt(err)
			return // refused, or ctx has ended
		}
	}
}

// renewal makes the call that extends the lease.
func (l *Lock) renewal() call {
	var a lockmodel.Answer
	seconds := int64(l.lease / time.Second)
	return l.client.transition(opRenew, uuid.NewString(), document{Workspace: l.Workspace(), LockID: l.ID(), Lease: &seconds}, &a)
}

// extend sends a renewal and believes in what it is granted.
func (l *Lock) extend(ctx context.Context, cl call) error {
	got, err := l.client.send(ctx, cl)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	// Also where an earlier try was the one that was applied: the service says
	// that the lease reaches at least as far as this one asked for.
	if until := got.sent.Add(l.lease); l.err == nil && until.After(l.until) {
		l.until = until
		if l.expiry != nil {
			l.expiry.Reset(time.Until(until))
		}
	}
	return nil
}

// doubt ends the belief if the error of a renewal is the service's refusal.
func (l *Lock) doubt(err error) {
	if _, unreachable := errors.AsType[*UnreachableError](err); unreachable {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lose(err)
}

// assure renews a lease of which only the least is known. A deployment that
// bounds the length of holds may refuse, and leave that least.
func (l *Lock) assure(ctx context.Context) error {
	err := l.extend(ctx, l.renewal())
	refused, ok := errors.AsType[*RefusedError](err)
	if ok && refused.Code == lockmodel.CodeMaxHold && time.Now().Before(l.until) {
		return nil
	}
	return err
}

// expire ends the belief if its time has come. l.mu is held.
func (l *Lock) expire() {
	if l.expiry != nil && !time.Now().Before(l.until) {
		l.lose(ErrLeaseOver)
	}
}

// lose ends the belief. l.mu is held.
func (l *Lock) lose(why error) {
	if l.err == nil {
		l.err = &LostError{Workspace: l.Workspace(), LockID: l.ID(), Err: why}
		close(l.lost)
	}
}
