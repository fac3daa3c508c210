package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// The operations, as errors name them.
const (
	opAcquire     = "acquire"
	opRenew       = "renew"
	opRelease     = "release"
	opMarkStale   = "mark-stale"
	opForceUnlock = "force-unlock"
	opStatus      = "status"
	opList        = "list"
	opHistory     = "history"
	opVersions    = "state list"
	opState       = "state show"
	opRestore     = "state restore"
)

// document is the body of a request.
type document struct {
	Workspace string `json:"ws"`
	Runner    string `json:"runner,omitempty"`
	LockID    string `json:"lock_id,omitempty"`
	Lease     *int64 `json:"lease_seconds,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// call is one request, however often it is tried.
type call struct {
	op     string
	method string
	target string // path, with a query if there is one
	body   []byte
	key    string // names the request to the service
	// accept takes the document of an answer with status 200, if it is one: not
	// everything that answers 200 is this service.
	accept func(document []byte) bool
	most   int64 // the greatest size of an answer, 0 for that of documents
	tries  tries
}

// tries say how a request is tried.
type tries struct {
	timeout  time.Duration // of one try
	patience time.Duration // for all of them; 0 for no end but the context's
	pause    time.Duration // the longest between two
	// stubborn is not to be put off by what is wrong with the request or its
	// sender: credentials may have expired for a moment, a route be missing
	// during a deployment. Only verdicts on the lock end it.
	stubborn bool
}

// transition makes the call of an operation that changes a lock.
func (c *Client) transition(op, key string, d document, a *lockmodel.Answer) call {
	body, _ := json.Marshal(d) // strings and a number: can't fail
	return call{
		op: op, method: http.MethodPost, target: "/v1/" + op, body: body, key: key, tries: c.tries(),
		accept: into(a, func(a lockmodel.Answer) bool {
			return a.OK && a.Lock.Workspace == d.Workspace && (op != opAcquire && op != opRenew || a.LockID == d.LockID)
		}),
	}
}

// query makes a call that changes nothing.
func (c *Client) query(op, target string, accept func([]byte) bool) call {
	return call{op: op, method: http.MethodGet, target: target, key: uuid.NewString(), tries: c.tries(), accept: accept}
}

// into accepts a document that reads as a T which is right.
func into[T any](to *T, right func(T) bool) func([]byte) bool {
	return func(document []byte) bool {
		var t T
		if json.Unmarshal(document, &t) != nil || !right(t) {
			return false
		}
		*to = t
		return true
	}
}

func (c *Client) tries() tries {
	return tries{timeout: c.options.TryTimeout, patience: c.options.Patience, pause: 2 * time.Second}
}

// reply is the service's answer to one try.
type reply struct {
	status int
	sent   time.Time // when the try was sent that got the answer
	unsure bool      // whether a try before it may have been applied
}

// send tries a call until there is a verdict, which has a reply: status 200, or
// an error that is a refusal. Where there is none, it is an *UnreachableError.
func (c *Client) send(ctx context.Context, cl call) (reply, error) {
	caller := ctx
	if cl.tries.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cl.tries.patience)
		defer cancel()
	}
	unsure := false
	var last error
	for n := 0; ; n++ {
		if ctx.Err() == nil {
			sent := time.Now()
			r, delivered, err := c.try(ctx, cl)
			if r.status != 0 {
				r.sent, r.unsure = sent, unsure
				return r, err // a verdict
			}
			unsure = unsure || delivered
			if last == nil || ctx.Err() == nil { // a try that was cut off tells less than one before it
				last = err
			}
			if !again(err) && !cl.tries.stubborn {
				return reply{}, &UnreachableError{Op: cl.op, Unsure: unsure, Err: err}
			}
			pause(ctx, around(min(100*time.Millisecond<<min(n, 10), cl.tries.pause)))
		}
		if caller.Err() != nil {
			return reply{}, &UnreachableError{Op: cl.op, Unsure: unsure, Err: errors.Join(context.Cause(caller), last)}
		}
		if ctx.Err() != nil {
			return reply{}, &UnreachableError{Op: cl.op, Unsure: unsure, Err: last}
		}
	}
}

// hopelessError is not mended by another try.
type hopelessError struct{ error }

func (e *hopelessError) Unwrap() error { return e.error }

func again(err error) bool {
	_, hopeless := errors.AsType[*hopelessError](err)
	return !hopeless
}

// try sends a call once. The reply has a status only where it is a verdict.
// delivered is whether the call may have reached the service.
func (c *Client) try(ctx context.Context, cl call) (_ reply, delivered bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cl.tries.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, cl.method, strings.TrimRight(c.base.String(), "/")+cl.target, bytes.NewReader(cl.body))
	if err != nil {
		return reply{}, false, &hopelessError{err}
	}
	r.Header.Set("Idempotency-Key", cl.key)
	r.Header.Set("User-Agent", "statelock-client")
	if cl.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.options.Credentials != nil {
		if err := c.options.Credentials(r, cl.body); err != nil {
			return reply{}, false, &hopelessError{err}
		}
	}
	resp, err := c.http.Do(r)
	if err != nil {
		dial, ok := errors.AsType[*net.OpError](err)
		return reply{}, !ok || dial.Op != "dial", err
	}
	defer resp.Body.Close()
	const documents = 8 << 20 // a page of 1000 locks is under 2 MB
	body, err := io.ReadAll(io.LimitReader(resp.Body, max(cl.most, documents)))
	if err != nil {
		return reply{}, true, fmt.Errorf("the answer broke off: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		if !cl.accept(body) {
			return reply{}, true, errors.New("the answer is not one of this service")
		}
		return reply{status: resp.StatusCode}, true, nil
	}
	err, verdict := cl.judge(resp.StatusCode, body)
	if verdict {
		return reply{status: resp.StatusCode}, true, err
	}
	return reply{}, true, err
}

// judge makes an error of an answer other than 200, and tells whether it is a
// verdict.
func (cl call) judge(status int, body []byte) (_ error, verdict bool) {
	var a struct {
		lockmodel.Answer
		Field   string
		Message string // API Gateway's
	}
	readable := json.Unmarshal(body, &a) == nil
	if refused := status == http.StatusConflict || status == http.StatusLocked; refused && readable && a.Code != "" {
		return refusal(cl.op, status, a.Answer, a.Field), true
	}
	text := strings.Join(strings.Fields(fmt.Sprint("the service answered ", status, " ", a.Reason, a.Message)), " ")
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge:
		if !cl.tries.stubborn {
			if a.Reason == "" {
				a.Reason = text
			}
			return refusal(cl.op, status, a.Answer, a.Field), true
		}
	}
	return errors.New(text), false
}
