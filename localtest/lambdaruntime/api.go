package lambdaruntime

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Where the function pretends to be.
const (
	region  = "us-east-1"
	account = "123456789012"
)

// api is the runtime API as the environment's process sees it.
func (e *environment) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", e.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", e.response)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", e.invocationError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", e.initializationError)
	return mux
}

// next hands the process its next event, however long that takes to come.
func (e *environment) next(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.ready = true
	busy := e.current != nil
	e.mu.Unlock()
	if busy {
		problem(w, http.StatusForbidden, "InvalidStateTransition", "the last invocation has no response yet")
		return
	}
	var inv *invocation
	select {
	case inv = <-e.function.events:
	case <-e.gone:
		return
	case <-r.Context().Done():
		return
	}
	deadline, ok := e.take(inv)
	if !ok {
		inv.end(nil, errNotDelivered)
		return
	}
	if r.Context().Err() != nil { // the process died while it was waiting
		if e.release(inv.id) != nil {
			inv.end(nil, errNotDelivered)
		}
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s", region, account, e.function.options.Name))
	h.Set("Lambda-Runtime-Trace-Id", traceID()+";Parent="+randomHex(8)+";Sampled=0")
	w.Write(inv.event) //nolint:errcheck // a process that is gone is buried
}

// response takes the function's answer.
func (e *environment) response(w http.ResponseWriter, r *http.Request) {
	answer, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	_, tooLong := errors.AsType[*http.MaxBytesError](err)
	if err != nil && !tooLong {
		return // the process died in the middle of it
	}
	inv := e.release(r.PathValue("id"))
	switch {
	case inv == nil:
		problem(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
	case tooLong:
		inv.end(nil, functionError("Function.ResponseSizeTooLarge", "Response payload size exceeded maximum allowed payload size (%d bytes).", MaxPayload))
		problem(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "Exceeded maximum allowed payload size")
	default:
		inv.end(answer, nil)
		accepted(w)
	}
}

// invocationError takes the error that the function returned.
func (e *environment) invocationError(w http.ResponseWriter, r *http.Request) {
	reported, err := readError(r)
	if err != nil {
		return
	}
	inv := e.release(r.PathValue("id"))
	if inv == nil {
		problem(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
		return
	}
	inv.end(nil, reported)
	accepted(w)
}

// initializationError takes the reason why the process can't start.
func (e *environment) initializationError(w http.ResponseWriter, r *http.Request) {
	reported, err := readError(r)
	if err != nil {
		return
	}
	e.mu.Lock()
	e.initError = reported
	e.mu.Unlock()
	accepted(w)
}

// readError reads the error object that a runtime sends.
func readError(r *http.Request) (*FunctionError, error) {
	payload, err := io.ReadAll(io.LimitReader(r.Body, MaxPayload))
	if err != nil {
		return nil, err
	}
	e := &FunctionError{Type: r.Header.Get("Lambda-Runtime-Function-Error-Type"), Payload: payload}
	var body struct{ ErrorType, ErrorMessage string }
	if json.Unmarshal(payload, &body) == nil {
		e.Message = body.ErrorMessage
		if body.ErrorType != "" {
			e.Type = body.ErrorType
		}
	}
	return e, nil
}

func accepted(w http.ResponseWriter) {
	writeJSON(w, http.StatusAccepted, map[string]string{"status": "OK"})
}

func problem(w http.ResponseWriter, status int, kind, message string) {
	writeJSON(w, status, map[string]string{"errorType": kind, "errorMessage": message})
}

func writeJSON(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(body)) //nolint:errcheck // a client that is gone is told nothing
}

// encode gives the JSON of v, which is of this package and can't fail.
func encode(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// traceID returns a new X-Ray trace id as it stands in headers.
func traceID() string {
	return fmt.Sprintf("Root=1-%08x-%s", time.Now().Unix(), randomHex(12))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
