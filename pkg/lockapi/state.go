package lockapi

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // of Content-MD5, which finds accidents and stops no attacker
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// DefaultMaxState is the greatest size of a state where nothing else is said:
// what Lambda takes in one invocation, see "Lambda quotas".
const DefaultMaxState = 6 << 20

// settleTimeout bounds for how long a client waits for what it does not need.
const settleTimeout = 5 * time.Second

// state serves the current state.
func (a *API) state(w http.ResponseWriter, r *http.Request) {
	_, err := parameters(r, "ID") // addresses may carry one
	if err == nil {
		err = a.mayReadState(r.Context(), r.PathValue("ws"))
	}
	var state ddbstore.State
	if err == nil {
		state, err = a.store.State(r.Context(), r.PathValue("ws"))
	}
	a.sendState(w, r, state, err)
}

// sendState sends a state as it was written, compressed where the client takes
// that.
func (a *API) sendState(w http.ResponseWriter, r *http.Request, state ddbstore.State, err error) {
	if err != nil {
		status, body := a.failed(r.Context(), err)
		reply(w, status, body)
		return
	}
	sum := md5.Sum(state.Body) //nolint:gosec // see the import
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept-Encoding")
	body := state.Body
	// A gateway sends what is compressed in base64, which is a third longer.
	if acceptsGzip(r) && len(state.Gzip) < len(state.Body)*3/4 {
		h.Set("Content-Encoding", "gzip")
		body = state.Gzip
	} else {
		h.Set("Content-MD5", base64.StdEncoding.EncodeToString(sum[:]))
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	w.Write(body) //nolint:errcheck // a client that is gone is told nothing
}

// acceptsGzip reads Accept-Encoding: a list of codings, each perhaps with a
// weight, of which 0 means "not this one" (RFC 9110, section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ToLower(weight), "q="), 64)
			return weight == "" || err == nil && q > 0
		}
	}
	return false
}

// writeState makes the body the current state.
func (a *API) writeState(r *http.Request) (int, any) {
	ctx := r.Context()
	request, err := stateRequest(r)
	if err != nil {
		return a.failed(ctx, err)
	}
	body, err := readState(limited(r, a.maxState))
	if err != nil {
		return a.failed(ctx, err)
	}
	return a.storeState(ctx, request, body)
}

// storeState stores a state under a request's lock. A write that has no id of its
// own is known again by what it writes.
func (a *API) storeState(ctx context.Context, r lockmodel.Request, body []byte) (int, any) {
	if err := a.mayStore(ctx, r); err != nil {
		return a.failed(ctx, err)
	}
	if r.ID == "" {
		sum := sha256.Sum256(body)
		r.ID = hex.EncodeToString(sum[:])
	}
	out, err := a.performBy(ctx, r, func(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
		return a.store.WriteState(ctx, r, body)
	})
	if err != nil {
		return a.failed(ctx, err)
	}
	a.settle(ctx, out)
	return told(ctx, out)
}

// settle tidies up after a state write, which stands whatever becomes of this,
// and of the client.
func (a *API) settle(ctx context.Context, out lockmodel.Outcome) {
	end := time.Now().Add(settleTimeout)
	if last, ok := ctx.Deadline(); ok && last.Before(end) {
		end = last // the answer must be out by then
	}
	settling, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	defer cancel()
	if err := a.store.Settle(settling, out); err != nil {
		a.log.LogAttrs(ctx, slog.LevelError, "a state was written, and not tidied up after",
			slog.String("ws", out.Request.Workspace), slog.String("request_id", requestID(ctx)), slog.String("error", err.Error()))
	}
}

// mayReadState lets a credential that has lapsed read what the hold that it began
// works on: Terraform looks once more before it writes a workspace's first state.
func (a *API) mayReadState(ctx context.Context, ws string) error {
	c, _ := callerOf(ctx)
	if !c.Lapsed {
		return may(ctx, auth.Read, ws)
	}
	if !slices.ContainsFunc(c.Grants, func(g auth.Grant) bool { return g.Allows(auth.Read, ws) }) {
		return c.unfit // as when it was valid
	}
	l, err := a.store.Lock(ctx, ws)
	if err == nil && (c.Digest == "" || l.Credential != c.Digest) {
		err = c.unfit
	}
	return err
}

// mayStore turns away, before anything is stored, who could not make it current
// anyway. It saves room, no more: the write decides, and a credential that has
// lapsed can't come to be the hold's meanwhile.
func (a *API) mayStore(ctx context.Context, r lockmodel.Request) error {
	if err := may(ctx, auth.WriteState, r.Workspace); err != nil {
		return err
	}
	c, _ := callerOf(ctx)
	if !c.Lapsed {
		return nil
	}
	l, err := a.store.Lock(ctx, r.Workspace)
	if err == nil && (r.LockID == "" || l.LockID != r.LockID || l.Credential != c.Digest) {
		err = c.unfit
	}
	return err
}

// deleteState leaves the workspace without a state.
func (a *API) deleteState(r *http.Request) (int, any) {
	request, err := stateRequest(r)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	request.ID = "DELETE"
	out, err := a.perform(r.Context(), request)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	a.settle(r.Context(), out)
	return told(r.Context(), out)
}

// stateRequest reads for which hold the state is written: the parameter ID,
// which Terraform leaves out where it was told not to lock.
func stateRequest(r *http.Request) (lockmodel.Request, error) {
	p, err := parameters(r, "ID")
	id, given := p["ID"]
	if given && !lockmodel.ValidID(id) {
		err = &lockmodel.FieldError{Field: "ID", Problem: "names no lock"}
	}
	return lockmodel.Request{Op: lockmodel.WriteState, Workspace: r.PathValue("ws"), LockID: id}, err
}

// readState reads a state whole, and compares it with what the client says it
// sent.
func readState(r *http.Request) ([]byte, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &lockmodel.FieldError{Field: "Content-Encoding", Problem: "send the state as it is"}
	}
	body, err := readDocument(r.Body)
	switch {
	case err != nil:
		return nil, err
	case r.ContentLength >= 0 && r.ContentLength != int64(len(body)):
		return nil, &lockmodel.FieldError{Field: "body", Problem: "it broke off"}
	case len(body) == 0:
		return nil, &lockmodel.FieldError{Field: "body", Problem: "empty; DELETE deletes a state"}
	}
	// Gateways may pass it on by another name, see "Amazon API Gateway important
	// notes".
	if given := cmp.Or(r.Header.Get("Content-MD5"), r.Header.Get("X-Amzn-Remapped-Content-Md5")); given != "" {
		sum := md5.Sum(body) //nolint:gosec // see the import
		if given != base64.StdEncoding.EncodeToString(sum[:]) {
			return nil, &lockmodel.FieldError{Field: "Content-MD5", Problem: "the body is another: it was changed on its way"}
		}
	}
	return body, nil
}

// limited bounds what is read of a request's body.
func limited(r *http.Request, most int64) *http.Request {
	r.Body = http.MaxBytesReader(nil, r.Body, most)
	return r
}

// noState answers that there is no state, and nothing else does so with 404 on
// a route of states: to Terraform it means that nothing is deployed.
func noState(err error) (int, any, bool) {
	if !errors.Is(err, ddbstore.ErrNoState) {
		return 0, nil, false
	}
	return http.StatusNotFound, failure{Code: "no_state", Reason: "there is no such state"}, true
}
