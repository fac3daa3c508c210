package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"

	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// request is what a client sends, as often as it takes to get an answer.
type request struct {
	// What is asked, as the history has it.
	kind  history.Kind
	asked lockmodel.Request
	// How it is sent. A nil document makes it a read.
	document []byte
}

// document is the body of a transition's request.
type document struct {
	Workspace string `json:"ws"`
	Runner    string `json:"runner,omitempty"`
	LockID    string `json:"lock_id,omitempty"`
	Lease     *int64 `json:"lease_seconds,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// transition makes a request for a transition. derived says that the service is
// to find the lock id itself.
func transition(r lockmodel.Request, derived bool) (request, error) {
	doc := document{Workspace: r.Workspace, Runner: r.Runner, LockID: r.LockID, Reason: r.Reason}
	if derived {
		doc.LockID = ""
	}
	if r.Lease > 0 {
		seconds := r.Lease / 1000
		doc.Lease = &seconds
	}
	body, err := json.Marshal(doc)
	return request{history.Transition, r, body}, err
}

func read(ws string) request {
	return request{kind: history.Read, asked: lockmodel.Request{Workspace: ws}}
}

// http gives the request as it is sent to the service at url.
func (r request) http(ctx context.Context, url string) (*http.Request, error) {
	if r.document == nil {
		return http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/locks/"+r.asked.Workspace, http.NoBody)
	}
	h, err := http.NewRequestWithContext(ctx, http.MethodPost, url+lockapi.Path(r.asked.Op), bytes.NewReader(r.document))
	if err != nil {
		return nil, err
	}
	h.Header.Set("Idempotency-Key", r.asked.ID)
	if r.asked.Principal != "" {
		h.Header.Set(principalHeader, r.asked.Principal)
	}
	return h, nil
}

type callKey struct{}

// call sends a request once. ok tells that it was answered: otherwise nothing
// is known of its outcome, which is no error. name names the call, for no other.
func (s *system) call(ctx context.Context, client, name string, r request) (a lockmodel.Answer, ok bool, err error) {
	url, err := s.url(ctx)
	if err != nil {
		return a, false, err
	}
	made := history.Call{Client: client, Kind: r.kind, Request: r.asked}
	pending := s.recorder.Begin(made)
	trip := s.trip(name, pending)
	defer trip.End()
	h, err := r.http(faults.WithTrip(context.WithValue(ctx, callKey{}, made), trip), url)
	if err != nil {
		return a, false, err
	}
	resp, err := s.http.Do(h)
	switch {
	case ctx.Err() != nil:
		return a, false, ctx.Err()
	case errors.Is(err, syscall.ECONNREFUSED):
		pending.Settled(0) // nobody was there to get it
		return a, false, nil
	case err != nil:
		return a, false, nil
	}
	defer resp.Body.Close()
	a, ok, err = answer(r.kind, resp)
	if ok {
		pending.Answered(a, s.deliveries(trip))
	}
	return a, ok, err
}

// trip follows a call through the network.
func (s *system) trip(name string, pending history.Pending) *faults.Trip {
	if s.opaque {
		return faults.NewTrip(name, nil)
	}
	var trip *faults.Trip
	trip = faults.NewTrip(name, func() { pending.Settled(s.deliveries(trip)) })
	return trip
}

// copied records that the network delivers a further copy of a call.
func (s *system) copied(ctx context.Context) (_ context.Context, over func()) {
	made, _ := ctx.Value(callKey{}).(history.Call)
	made.Copy = true
	trip := s.trip(faults.TripOf(ctx).Name()+"/copy", s.recorder.Begin(made))
	return faults.WithTrip(ctx, trip), trip.End
}

// answer reads a response. Where it is none of the service's answers, but that
// of a gateway or the news that the database failed, it is not ok.
func answer(kind history.Kind, resp *http.Response) (a lockmodel.Answer, ok bool, err error) {
	switch resp.StatusCode {
	case http.StatusOK, http.StatusLocked, http.StatusConflict:
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return a, false, fmt.Errorf("the service can't make sense of a request: status %d", resp.StatusCode)
	default:
		return a, false, nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return a, false, nil //nolint:nilerr // the connection broke: not an answer
	}
	to := any(&a)
	if kind == history.Read {
		to = &a.Lock
	}
	err = json.Unmarshal(body, to)
	return a, err == nil, err
}
