package lambdaruntime

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
)

// MaxBody is API Gateway's limit on the body of a request, in bytes: see
// "Quotas for configuring and running an HTTP API". Lambda's limit, on the
// whole event, is lower.
const MaxBody = 10 << 20

// methods are those that a route can have, ANY being all of them: see "Create
// routes for HTTP APIs". WebDAV's LOCK and UNLOCK are not among them.
var methods = []string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions,
	http.MethodPatch, http.MethodPost, http.MethodPut,
}

// Errors that an Authorize function returns to refuse a request.
var (
	ErrUnauthorized = errors.New("unauthorized") // 401, as a JWT authorizer does
	ErrForbidden    = errors.New("forbidden")    // 403, as IAM authorization does
)

// Gateway is an http.Handler that passes requests to a function as an API
// Gateway HTTP API does whose one route is $default, with payload format 2.0.
// Its fields must not change while it serves.
type Gateway struct {
	// Invoke invokes the function, as Function.Invoke does. Required.
	Invoke func(ctx context.Context, event []byte) ([]byte, error)
	// Stage is the name of the stage, which precedes the path in URLs; "" means
	// $default, which doesn't.
	Stage string
	// Authorize gives requestContext.authorizer of a request, such as
	// map[string]any{"iam": map[string]any{"userArn": …}}, or refuses it. nil
	// means that the route has no authorizer.
	Authorize func(*http.Request) (map[string]any, error)
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(methods, r.Method) {
		message(w, http.StatusNotFound, "Not Found")
		return
	}
	path, ok := rawPath(r.URL)
	if !ok {
		message(w, http.StatusBadRequest, "Bad Request")
		return
	}
	stage := g.Stage
	if stage == "" {
		stage = "$default"
	} else if !below(path, stage) {
		message(w, http.StatusNotFound, "Not Found")
		return
	}
	var authorizer map[string]any
	if g.Authorize != nil {
		var err error
		switch authorizer, err = g.Authorize(r); {
		case errors.Is(err, ErrUnauthorized):
			message(w, http.StatusUnauthorized, "Unauthorized")
			return
		case err != nil:
			message(w, http.StatusForbidden, "Forbidden")
			return
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		message(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	}
	if err != nil {
		message(w, http.StatusBadRequest, "Bad Request")
		return
	}
	event := newEvent(r, path, stage, body)
	event.RequestContext.Authorizer = authorizer
	answer, err := g.Invoke(r.Context(), encode(event))
	w.Header().Set("Apigw-Requestid", event.RequestContext.RequestID)
	switch {
	case errors.Is(err, ErrRequestTooLong):
		message(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case err != nil:
		message(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		respond(w, answer)
	}
}

// message is an answer of the gateway's own.
func message(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]string{"message": text})
}
