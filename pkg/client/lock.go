package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Lock is a lock that was acquired. Any number of goroutines may use it.
type Lock struct {
	client  *Client
	view    View
	lease   time.Duration // as granted; 0 for none
	lost    chan struct{}
	release string // the id of the request that releases

	stop context.CancelFunc // ends keeping
	kept sync.WaitGroup

	mu     sync.Mutex
	until  time.Time   // the end of the belief, where there is a lease
	expiry *time.Timer // nil where nobody keeps the lock
	err    error
}

// newLock believes in the answer of an acquire that was sent at a time.
func (c *Client) newLock(a lockmodel.Answer, sent time.Time) *Lock {
	l := &Lock{client: c, view: a.Lock, lost: make(chan struct{}), release: uuid.NewString(), stop: func() {}}
	begun, err1 := time.Parse(time.RFC3339, a.Lock.AcquiredAt)
	ends, err2 := time.Parse(time.RFC3339, a.LeaseUntil)
	if err1 != nil || err2 != nil {
		return l // without a lease
	}
	l.lease = ends.Sub(begun)
	l.until = sent.Add(l.lease)
	return l
}

// Workspace is what is locked.
func (l *Lock) Workspace() string { return l.view.Workspace }

// ID names the hold.
func (l *Lock) ID() string { return l.view.LockID }

// Fence numbers the hold: it is greater than that of any earlier hold of the
// workspace.
func (l *Lock) Fence() int64 { return l.view.Fence }

// View is the lock as the service showed it when it was acquired.
func (l *Lock) View() View { return l.view }

// Lease is the length of the lease as granted, 0 for none.
func (l *Lock) Lease() time.Duration { return l.lease }

// Lost is closed, for good, when the lock must be taken for lost. It is never
// closed by Release and Abandon.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

// Err is nil until the lock is lost, and then a *LostError.
func (l *Lock) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expire()
	return l.err
}

// Renew extends the lease now. That is done in the background as well, so few
// need it: it is for whoever wants to be sure before a great step. Where the
// service refuses, the lock is lost.
func (l *Lock) Renew(ctx context.Context) error {
	if l.lease == 0 {
		return errors.New("this lock has no lease to renew")
	}
	err := l.extend(ctx, l.renewal())
	if err != nil {
		l.doubt(err)
	}
	return err
}

// Release ends the hold. The work must be over: from here on the lock is
// nobody's. It may be called again where it has failed, and after a loss, to
// free what nobody else has taken yet.
func (l *Lock) Release(ctx context.Context) error {
	l.Abandon()
	var a lockmodel.Answer
	_, err := l.client.send(ctx, l.client.transition(opRelease, l.release, document{Workspace: l.Workspace(), LockID: l.ID()}, &a))
	return err
}

// Abandon ends the renewals and leaves the lock as it is.
func (l *Lock) Abandon() {
	l.stop()
	l.kept.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.expiry != nil {
		l.expiry.Stop()
		l.expiry = nil
	}
}
