package lockapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// MaxBody is the greatest size of a command document, in bytes.
const MaxBody = 64 << 10

// opLockState is the one command that is no transition.
const opLockState = "lock_state"

// command is a command document: the body of the operations' routes, where the
// route says the operation, and the whole of a direct invocation.
type command struct {
	op, ws, runner, lockID, reason, requestID string
	lease                                     *int64 // seconds; nil where not given
	version                                   *int64 // nil where not given
}

// text finds the place of a field that is a string.
func (c *command) text(name string) *string {
	switch name {
	case "op":
		return &c.op
	case "ws":
		return &c.ws
	case "runner":
		return &c.runner
	case "lock_id":
		return &c.lockID
	case "reason":
		return &c.reason
	case "request_id":
		return &c.requestID
	}
	return nil
}

const fieldLease = "lease_seconds"

// number finds the place of a field that is a number, and what it counts.
func (c *command) number(name string) (place **int64, of string) {
	switch name {
	case fieldLease:
		return &c.lease, " of seconds"
	case fieldVersion:
		return &c.version, ""
	}
	return nil, ""
}

// fieldsOf lists the fields that a document for an operation may have.
func fieldsOf(o lockmodel.Op) []string {
	fields := []string{"ws", "runner", "lock_id"}
	if o.TakesReason() {
		fields = append(fields, "reason")
	}
	if o.TakesLease() {
		fields = append(fields, fieldLease)
	}
	return fields
}

// Fields of direct invocations, which have neither a route nor headers.
var directFields = []string{"op", "request_id"}

// readDocument reads a body whole, as its limit allows.
func readDocument(body io.Reader) ([]byte, error) {
	doc, err := io.ReadAll(body)
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		return nil, &lockmodel.FieldError{Field: "body", Problem: "it broke off"}
	}
	return doc, err
}

// decodeCommand reads a document strictly: one JSON object of the given
// fields, each at most once and of its type. A guard that is misspelt must not
// be dropped silently.
func decodeCommand(doc []byte, fields []string) (command, error) {
	var c command
	malformed := &lockmodel.FieldError{Field: "body", Problem: "not a well-formed JSON object in UTF-8"}
	if !utf8.Valid(doc) {
		return c, malformed
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return c, malformed
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return c, malformed
		}
		name, _ := token.(string)
		if !slices.Contains(fields, name) {
			return c, &lockmodel.FieldError{Field: clip(name), Problem: "there is no such field here; there are " + strings.Join(fields, ", ")}
		}
		if seen[name] {
			return c, &lockmodel.FieldError{Field: name, Problem: "given twice"}
		}
		seen[name] = true
		value, err := dec.Token()
		if err != nil {
			return c, malformed
		}
		if err := c.set(name, value); err != nil {
			return c, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return c, malformed
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return c, &lockmodel.FieldError{Field: "body", Problem: "something follows the JSON object"}
	}
	return c, nil
}

// set stores the value of a field.
func (c *command) set(name string, value json.Token) error {
	if place, of := c.number(name); place != nil {
		number, _ := value.(json.Number)
		n, err := strconv.ParseInt(number.String(), 10, 32)
		if err != nil {
			return &lockmodel.FieldError{Field: name, Problem: "must be a whole number" + of}
		}
		*place = &n
		return nil
	}
	text, ok := value.(string)
	if !ok {
		return &lockmodel.FieldError{Field: name, Problem: "must be a string"}
	}
	if text == "" {
		// A variable that was not set must not make a guard vanish.
		return &lockmodel.FieldError{Field: name, Problem: "empty; leave the field out if it is not meant"}
	}
	*c.text(name) = text
	return nil
}

// clip bounds what is repeated of a caller's text.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// request makes the command a request of operation o.
func (a *API) request(ctx context.Context, o lockmodel.Op, c command) (lockmodel.Request, error) {
	r := lockmodel.Request{
		Op: o, Workspace: c.ws, Runner: c.runner, LockID: c.lockID, Reason: c.reason,
		ID: requestID(ctx), Principal: principal(ctx),
	}
	if c.requestID != "" {
		r.ID = c.requestID
	}
	if o == lockmodel.Acquire && r.LockID == "" {
		r.LockID = lockIDFor(r)
	}
	if o.TakesLease() {
		lease, err := a.leases.grant(c.lease)
		if err != nil {
			return r, err
		}
		r.Lease = lease.Milliseconds()
	}
	return r, r.Validate()
}

// transition serves the route of operation o.
func (a *API) transition(o lockmodel.Op, r *http.Request) (int, any) {
	doc, err := readDocument(limited(r, MaxBody).Body)
	if err != nil {
		return a.failed(r.Context(), err)
	}
	c, err := decodeCommand(doc, fieldsOf(o))
	if err != nil {
		return a.failed(r.Context(), err)
	}
	return a.execute(r.Context(), o, c)
}

// execute performs a command.
func (a *API) execute(ctx context.Context, o lockmodel.Op, c command) (int, any) {
	r, err := a.request(ctx, o, c)
	if err != nil {
		return a.failed(ctx, err)
	}
	return a.answer(ctx, r)
}

// Command performs a command document, as the function's direct invocation
// brings it, and gives the same answer as over HTTP.
func (a *API) Command(ctx context.Context, doc []byte) []byte {
	if requestID(ctx) == "" {
		ctx = WithRequestID(ctx, uuid.NewString())
	}
	return encode(a.command(ctx, doc))
}

func (a *API) command(ctx context.Context, doc []byte) any {
	fail := func(err error) any { _, body := a.failed(ctx, err); return body }
	if len(doc) > MaxBody {
		return fail(&http.MaxBytesError{Limit: MaxBody})
	}
	op, err := opOf(doc)
	if err != nil {
		return fail(err)
	}
	if op == opLockState {
		c, err := decodeCommand(doc, append(directFields, "ws"))
		if err != nil {
			return fail(err)
		}
		_, body := a.lockState(ctx, c.ws)
		return body
	}
	o, err := lockmodel.ParseOp(op)
	if err != nil || o.TakesState() {
		return fail(&lockmodel.FieldError{Field: "op", Problem: fmt.Sprintf("there is no command %q; there are %s", clip(op), strings.Join(commandNames(), ", "))})
	}
	c, err := decodeCommand(doc, append(directFields, fieldsOf(o)...))
	if err != nil {
		return fail(err)
	}
	_, body := a.execute(ctx, o, c)
	return body
}

// commandNames lists what may stand in a document's op.
func commandNames() []string {
	var names []string
	for _, o := range commands() {
		names = append(names, o.String())
	}
	return append(names, opLockState)
}

// opOf finds a document's operation, which says what else may stand in it.
// What is wrong with the rest is for decodeCommand to say.
func opOf(doc []byte) (string, error) {
	var c map[string]json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(doc)).Decode(&c); err != nil || c == nil {
		_, err := decodeCommand(doc, nil)
		return "", err
	}
	var op string
	if json.Unmarshal(c["op"], &op) != nil {
		return "", &lockmodel.FieldError{Field: "op", Problem: "missing, or not a string; say which operation"}
	}
	return op, nil
}
