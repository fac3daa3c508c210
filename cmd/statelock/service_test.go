package main

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// service is a service in the test's process whose network the test can break.
type service struct {
	*client.Client
	url    string
	api    http.Handler
	engine *engine.Engine

	mu   sync.Mutex
	down bool
	lose map[string]int // replies to lose, by path
	done map[string]chan struct{}
}

func newService(t *testing.T) *service {
	t.Helper()
	e := engine.New()
	db := e.Client()
	if err := ddbstore.CreateTable(t.Context(), db, "locks"); err != nil {
		t.Fatal(err)
	}
	s := &service{engine: e, lose: map[string]int{}, done: map[string]chan struct{}{}}
	for _, path := range []string{"/v1/acquire", "/v1/renew", "/v1/release"} {
		s.done[path] = make(chan struct{}, 1000)
	}
	store := lockapi.Recorded(ddbstore.New(db, ddbstore.Options{Table: "locks"}),
		ddbstore.Recorder{Client: db, Table: "locks", Keep: time.Hour}, slog.New(slog.DiscardHandler))
	s.api = lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	s.url = serverFor(t, s).URL
	s.Client = client.NewOnStore(store, slog.New(slog.DiscardHandler), client.Options{})
	return s
}

// ServeHTTP passes requests to the API as the network lets them.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	down, lost := s.down, s.lose[r.URL.Path] > 0
	if lost {
		s.lose[r.URL.Path]--
	}
	s.mu.Unlock()
	switch {
	case down:
		panic(http.ErrAbortHandler) // breaks the connection
	case lost:
		s.api.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	s.api.ServeHTTP(answer, r)
	if done := s.done[r.URL.Path]; done != nil && answer.Code == http.StatusOK {
		select {
		case done <- struct{}{}:
		default: // nobody counts that far
		}
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes()) //nolint:errcheck // a client that is gone is told nothing
}

// setDown breaks the network, or mends it.
func (s *service) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// loseReplies loses the next n replies of a path.
func (s *service) loseReplies(path string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose[path] = n
}

// lost tells whether all replies that should be lost are.
func (s *service) lost(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lose[path] == 0
}

func (s *service) status(t *testing.T) client.View {
	t.Helper()
	v, err := s.Status(t.Context(), "prod")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// free is what a lock must be when all is over.
func free(t *testing.T, s *service) {
	t.Helper()
	if v := s.status(t); v.State != lockmodel.Unlocked {
		t.Errorf("left behind: %+v", v)
	}
}
