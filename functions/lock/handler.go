package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/metrics"
)

// replyMargin is kept of the invocation's time for the answer: a store that
// hangs then ends in "try again" for the client and a line in the log, where
// the function's timeout would leave neither.
const replyMargin = 300 * time.Millisecond

// maxAnswer is the size of the longest answer that Lambda passes on, in bytes:
// see "Lambda quotas", invocation payload.
const maxAnswer = 6 << 20

// service is what events are translated for: *lockapi.API.
type service interface {
	http.Handler
	// Command executes a command document and returns the JSON answer.
	Command(ctx context.Context, doc []byte) []byte
	// Sweep marks lapsed leases stale.
	Sweep(ctx context.Context) (lockapi.Swept, error)
}

// handler is the function's lambda.Handler. It has no state of its own and may
// be invoked concurrently.
type handler struct {
	service  service
	recorder lockapi.Recorder
	log      *slog.Logger
	// serves is which events are taken.
	serves duty
	// jwt leaves it to the service to tell callers by the JWTs that they bring.
	jwt bool
	// notify is who hears of what the history records.
	notify notifier
	// locks are those that a sweep measures.
	locks lister
	// metrics is where measurements go, with the table's name.
	metrics io.Writer
	table   string
}

// Invoke implements lambda.Handler. Whatever is wrong with an event is said in
// the answer, not by an error: an error would make Lambda repeat an
// asynchronous invocation that can't do better. A sweep that broke off can, and
// is an error, which also counts in the function's metrics. It logs one line.
func (h *handler) Invoke(ctx context.Context, event []byte) (answer []byte, err error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-replyMargin))
		defer cancel()
	}
	id := ""
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		id = lc.AwsRequestID // the same when Lambda repeats an asynchronous invocation
	}
	ctx = lockapi.WithRequestID(ctx, id)
	set := metrics.NewSet()
	ctx = metrics.With(ctx, set)

	start, k := time.Now(), kindOf(event)
	var seen []slog.Attr
	switch {
	case k == kindNeither, !h.serves.serves(k):
		answer = refusal("bad_request", h.serves.accepted())
	case k == kindCommand:
		answer, seen = h.command(ctx, event)
	case k == kindSchedule:
		answer, seen, err = h.sweep(ctx)
	case k == kindStream:
		answer, seen, err = h.stream(ctx, event)
	default:
		answer, seen, err = h.request(ctx, event, k)
	}
	h.log.LogAttrs(ctx, slog.LevelInfo, "request", append(seen,
		slog.String("kind", k.String()),
		slog.Int64("us", time.Since(start).Microseconds()),
		slog.String("aws_request_id", id))...)
	if failure := h.publish(set, id); failure != nil {
		h.log.LogAttrs(ctx, slog.LevelError, "metrics", slog.String("error", failure.Error()))
	}
	return answer, err
}

// publish writes what an invocation measured.
func (h *handler) publish(set *metrics.Set, id string) error {
	return set.Write(h.metrics, metrics.Labels{
		Namespace: namespace, At: time.Now(),
		Dimensions: []metrics.Dimension{{Name: "Table", Value: h.table}},
		Properties: map[string]string{"aws_request_id": id},
	})
}

// errSweep is all that Lambda is told; the cause is in the log.
var errSweep = errors.New("the sweep broke off; the next one goes on")

// sweep has the service mark lapsed leases stale.
func (h *handler) sweep(ctx context.Context) (answer []byte, seen []slog.Attr, err error) {
	var swept lockapi.Swept
	if !h.survives(ctx, func() { swept, err = h.service.Sweep(ctx) }) {
		return nil, nil, errSweep
	}
	seen = []slog.Attr{slog.Int("marked", swept.Marked), slog.Int("passed", swept.Passed), slog.Int("dropped", swept.Dropped), slog.Bool("more", swept.More)}
	if err == nil {
		err = measureStale(ctx, metrics.From(ctx), h.locks, time.Now())
	}
	if err != nil {
		return nil, append(seen, slog.String("error", err.Error())), errSweep
	}
	answer, err = json.Marshal(swept)
	return answer, seen, err
}

// command has the service answer a command document.
func (h *handler) command(ctx context.Context, doc []byte) (answer []byte, seen []slog.Attr) {
	if !h.survives(ctx, func() { answer = h.service.Command(ctx, doc) }) {
		answer = refusal("internal", failed)
	}
	var words struct{ Op, Code string }
	_ = json.Unmarshal(doc, &words) // for the log only: a bad document has been answered
	_ = json.Unmarshal(answer, &words)
	return answer, []slog.Attr{slog.String("op", clip(words.Op)), slog.String("code", words.Code)}
}

// request has the service answer the event of a gateway.
func (h *handler) request(ctx context.Context, event []byte, k kind) (answer []byte, seen []slog.Attr, err error) {
	read, write := inboundV2, answerV2
	if k == kindREST || k == kindHTTPAPIv1 {
		read, write = inboundV1, answerV1
	}
	in, who, err := read(event, k)
	var r *http.Request
	if err == nil {
		r, err = in.request()
	}
	w, route := newResponse(), ""
	if err != nil {
		w.refuse(http.StatusBadRequest, "bad_request", err.Error())
	} else {
		if h.jwt && who.byJWT() {
			who.principal = "" // the service reads the JWT itself, and asks its rules
		}
		r = r.WithContext(who.context(ctx))
		if !h.survives(ctx, func() { h.service.ServeHTTP(w, r) }) {
			w = newResponse() // what was written so far is not to be trusted
			w.refuse(http.StatusInternalServerError, "internal", failed)
		}
		route = r.Pattern
	}
	w.close(in.method)
	answer, err = json.Marshal(write(w))
	if len(answer) > maxAnswer {
		w = newResponse()
		w.refuse(http.StatusRequestEntityTooLarge, "too_large", tooLarge)
		answer, err = json.Marshal(write(w))
	}
	return answer, []slog.Attr{
		slog.String("method", in.method),
		slog.String("route", route),
		slog.Int("status", w.status),
		slog.String("request_id", clip(cmp.Or(w.sent.Get("X-Request-Id"), who.requestID))),
	}, err
}

// clip bounds what the log repeats of a caller's text.
func clip(s string) string { return fmt.Sprintf("%.128s", s) }

// survives runs f and reports whether it came back. A panic ends the request,
// not the process, as in net/http's server; its stack goes to the log, where
// the Lambda library would send it to the caller.
func (h *handler) survives(ctx context.Context, f func()) (ok bool) {
	defer func() {
		if !ok {
			h.log.ErrorContext(ctx, "panic", "value", fmt.Sprint(recover()), "stack", string(debug.Stack()))
		}
	}()
	f()
	return true
}
