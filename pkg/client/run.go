package client

import (
	"context"
	"errors"
)

// Run acquires the lock, calls work, and releases the lock whatever became of
// it, panics included. The context that work gets is cancelled when the lock is
// lost, with the *LostError as its cause.
//
// The error joins work's own, the loss of the lock, and a failure to release;
// where the lock could not be acquired it is Acquire's, and work is not called.
func (c *Client) Run(ctx context.Context, r Request, work func(context.Context, *Lock) error) (err error) {
	l, err := c.Acquire(ctx, r)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, l.Err(), l.Release(context.WithoutCancel(ctx)))
	}()
	under, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-l.Lost():
			cancel(l.Err())
		case <-under.Done():
		}
	}()
	return work(under, l)
}
