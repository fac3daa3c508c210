package lockapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// retryAfter is when to come back after a failure of DynamoDB, in seconds:
// soon enough that Terraform's three tries, 1 s and 2 s apart, may get through.
const retryAfter = "1"

// failure is the JSON of whatever is not the answer of a transition.
type failure struct {
	OK     bool   `json:"ok"` // false
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Field  string `json:"field,omitempty"`
}

// status is the HTTP status of an outcome.
func status(out lockmodel.Outcome) int {
	switch {
	case out.Rule.Done():
		return http.StatusOK
	case out.Request.Op == lockmodel.Acquire:
		return http.StatusLocked
	}
	return http.StatusConflict
}

// failed explains an error that is no outcome, and keeps its cause in the log.
func (a *API) failed(ctx context.Context, err error) (int, any) {
	if bad, ok := errors.AsType[*lockmodel.FieldError](err); ok {
		return http.StatusBadRequest, failure{Code: "bad_request", Field: bad.Field, Reason: bad.Error()}
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge, failure{Code: "too_large", Field: "body", Reason: fmt.Sprintf("the body is over %d bytes", large.Limit)}
	}
	if status, body, ok := noState(err); ok {
		return status, body
	}
	if status, body, ok := refuseCaller(err); ok {
		a.log.LogAttrs(ctx, slog.LevelWarn, "a caller was not let in", slog.String("request_id", requestID(ctx)),
			slog.String("principal", principal(ctx)), slog.String("error", err.Error()))
		return status, body
	}
	level := slog.LevelError
	if ctx.Err() != nil {
		level = slog.LevelInfo // the caller went away
	}
	a.log.LogAttrs(ctx, level, "the store failed", slog.String("request_id", requestID(ctx)), slog.String("error", err.Error()))
	if errors.Is(err, ddbstore.ErrStateDamaged) {
		return http.StatusInternalServerError, failure{
			Code:   "damaged",
			Reason: "the stored state is damaged: a part of it is missing or was changed; look at its versions before you go on",
		}
	}
	if errors.Is(err, ddbstore.ErrTableDisagrees) {
		return http.StatusInternalServerError, failure{
			Code:   "internal",
			Reason: "the lock table did not behave as this service relies on; look at the lock and at the service's log before you go on",
		}
	}
	return http.StatusServiceUnavailable, failure{
		Code:   "unavailable",
		Reason: "the lock table can't be reached now; if this was to change a lock, it may have been applied: send the same request again, with the same request id",
	}
}

// Forbid answers that a request is not let in, and why.
func Forbid(w http.ResponseWriter, why string) {
	reply(w, http.StatusForbidden, failure{Code: "forbidden", Reason: why})
}

// reply sends a JSON body.
func reply(w http.ResponseWriter, status int, body any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	switch status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryAfter)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Basic realm="statelock"`)
	}
	w.WriteHeader(status)
	w.Write(encode(body)) //nolint:errcheck // a client that is gone is told nothing
}

// encode gives the JSON of one of this package's bodies: structs of strings,
// numbers and booleans, which can't fail.
func encode(body any) []byte {
	doc, _ := json.Marshal(body)
	return append(doc, '\n')
}
