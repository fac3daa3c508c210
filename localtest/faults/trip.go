package faults

import (
	"context"
	"sync"
)

// Trip is one request's way through the network: all its deliveries, at every
// hop that its context reaches. It is over when nothing of it is under way any
// more, which may be long after its caller was answered or gave up.
type Trip struct {
	name string
	over func()

	mu        sync.Mutex
	open      int // the caller and deliveries that are under way or to come
	tries     map[*Injector]int
	delivered map[*Injector]int
}

// NewTrip begins the trip of a request. Its name is what faults are drawn by:
// the same for the same request in every run, and of no other request. over, if
// not nil, is called once when the trip is over.
func NewTrip(name string, over func()) *Trip {
	return &Trip{name: name, over: over, open: 1, tries: map[*Injector]int{}, delivered: map[*Injector]int{}}
}

// Name is the name that the trip was given.
func (t *Trip) Name() string { return t.name }

// End says that the caller has got its answer, or waits no longer.
func (t *Trip) End() { t.done() }

// Delivered tells how often the injector's hop has delivered a request of this
// trip so far.
func (t *Trip) Delivered(at *Injector) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.delivered[at]
}

// begin notes that a delivery is to come.
func (t *Trip) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
}

// arrive notes that a delivery, noted by begin, happens.
func (t *Trip) arrive(at *Injector) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delivered[at]++
}

// done notes that a delivery, noted by begin, is over.
func (t *Trip) done() {
	t.mu.Lock()
	t.open--
	over := t.open == 0 && t.over != nil
	t.mu.Unlock()
	if over {
		t.over()
	}
}

// try numbers the requests of the trip at a hop.
func (t *Trip) try(at *Injector) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tries[at]++
	return t.tries[at]
}

type tripKey struct{}

// WithTrip gives the requests made with the context to a trip.
func WithTrip(ctx context.Context, t *Trip) context.Context {
	return context.WithValue(ctx, tripKey{}, t)
}

// TripOf is the trip that the context was given, nil where there is none.
func TripOf(ctx context.Context) *Trip {
	t, _ := ctx.Value(tripKey{}).(*Trip)
	return t
}
