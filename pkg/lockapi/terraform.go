package lockapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// This file holds lock and unlock as Terraform's and OpenTofu's backend "http"
// speaks them.

// tfLock acquires the lock for the hold that the LockInfo names.
func (a *API) tfLock(r *http.Request) (int, any) {
	ctx := r.Context()
	p, err := parameters(r, fieldLease)
	if err != nil {
		return a.failed(ctx, err)
	}
	// These clients don't renew, so a lease is theirs only by their own wish,
	// not by the deployment's default.
	lease, err := a.leases.grant(new(int64))
	if text, ok := p[fieldLease]; ok {
		seconds, bad := strconv.ParseInt(text, 10, 32)
		if bad != nil {
			return a.failed(ctx, &lockmodel.FieldError{Field: fieldLease, Problem: "must be a whole number of seconds"})
		}
		lease, err = a.leases.grant(&seconds)
	}
	if err != nil {
		return a.failed(ctx, err)
	}
	info, raw, err := readLockInfo(limited(r, MaxBody))
	switch {
	case err != nil:
		return a.failed(ctx, err)
	case info.ID == "":
		return a.failed(ctx, &lockmodel.FieldError{Field: "ID", Problem: "missing; a LOCK names its hold"})
	case len(raw) > lockmodel.MaxInfo:
		return a.failed(ctx, &lockmodel.FieldError{Field: "body", Problem: "a LockInfo of more than " + strconv.Itoa(lockmodel.MaxInfo) + " bytes"})
	}
	out, err := a.perform(ctx, lockmodel.Request{
		Op: lockmodel.Acquire, Workspace: r.PathValue("ws"), ID: requestID(ctx),
		LockID: info.ID, Runner: info.holder(), Info: raw, Lease: lease.Milliseconds(),
	})
	if err != nil {
		return a.failed(ctx, err)
	}
	if !out.Rule.Done() {
		return status(out), conflict(out)
	}
	return http.StatusOK, out.Answer()
}

// tfUnlock ends the hold that the LockInfo describes. Without one, or where it
// is no more than an ID, it is somebody's force-unlock.
//
// An UNLOCK has no id of its own: what it names makes it known again. So it can
// be repeated until the next hold ends.
func (a *API) tfUnlock(r *http.Request) (int, any) {
	ctx := r.Context()
	if _, err := parameters(r, fieldLease); err != nil { // of an address for both
		return a.failed(ctx, err)
	}
	info, _, err := readLockInfo(limited(r, MaxBody))
	if err != nil {
		return a.failed(ctx, err)
	}
	request := lockmodel.Request{Op: lockmodel.ReleaseLock, Workspace: r.PathValue("ws"), ID: "UNLOCK", LockID: info.ID}
	switch {
	case info.ID == "":
		request.Op, request.ID = lockmodel.ForceUnlock, requestID(ctx)
	case info.bare():
		request.Op = lockmodel.ForceUnlock
	}
	return a.answer(ctx, request)
}

// answer performs a request and gives its answer.
func (a *API) answer(ctx context.Context, r lockmodel.Request) (int, any) {
	out, err := a.perform(ctx, r)
	if err != nil {
		return a.failed(ctx, err)
	}
	return told(ctx, out)
}
