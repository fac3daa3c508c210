package lockapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

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
	a.log.LogAttrs(ctx, slog.LevelError, "the store failed",
		slog.String("request_id", requestID(ctx)), slog.String("error", err.Error()))
	return http.StatusServiceUnavailable, failure{Code: "unavailable",
		Reason: "the lock table can't be reached now; whether the request was applied is unknown: send the same request again, with the same request id"}
}

// reply sends a JSON body.
func reply(w http.ResponseWriter, status int, body any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", retryAfter)
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
