package faults

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

// Options configure an Injector.
type Options struct {
	// Seed is what faults are drawn from, together with Hop and with the names
	// of the requests.
	Seed uint64
	// Hop names the hop in reports, and tells the draws of two hops apart.
	Hop string
	// Rates are how often there is which fault.
	Rates Rates
	// Replies are what the hop answers by itself.
	Replies Replies
	// Copied, if not nil, is told just before a copy is delivered of a request
	// whose answer is that of another delivery. The copy is delivered with the
	// context that it returns, which must have a trip; over is called after it.
	// Without Copied, copies belong to the request's own trip.
	Copied func(context.Context) (_ context.Context, over func())
}

// Injector is an http.RoundTripper that does to requests what a bad network
// does. Any number of goroutines may use it.
type Injector struct {
	next http.RoundTripper
	Options

	hop    uint64 // hash of Hop
	loose  atomic.Uint64
	counts [numKinds]atomic.Int64
	others others
	flying sync.WaitGroup // deliveries that nobody waits for
}

// New returns an injector that delivers to next.
func New(next http.RoundTripper, options Options) *Injector {
	return &Injector{next: next, Options: options, hop: hash(options.Hop)}
}

// Counts tells how often each kind of fault has really happened.
func (in *Injector) Counts() map[Kind]int64 {
	counts := map[Kind]int64{}
	for k := range in.counts {
		counts[Kind(k)] = in.counts[k].Load()
	}
	return counts
}

// Settle delivers what is late, and returns when nothing is under way that
// nobody waits for.
func (in *Injector) Settle() {
	in.others.all()
	in.flying.Wait()
}

// RoundTrip delivers the request, or does what else is drawn.
func (in *Injector) RoundTrip(r *http.Request) (*http.Response, error) {
	m, err := in.read(r)
	if err != nil {
		return nil, err
	}
	kind, random := in.draw(m)
	in.others.passed()
	if kind != LateDelivery && kind != LateCopy && kind != Duplicate {
		in.counts[kind].Add(1) // the others when they come to pass
	}
	switch kind {
	case LoseRequest:
		return nil, errTimeout
	case LoseReply:
		m.deliverUnseen(in)
		return nil, errTimeout
	case Duplicate:
		deliver := in.copy(m)
		in.flying.Go(func() {
			in.counts[kind].Add(1)
			deliver()
		})
	case LateCopy:
		in.late(kind, random, in.copy(m))
	case LateDelivery:
		m.trip.begin()
		in.late(kind, random, func() { defer m.trip.done(); m.deliverUnseen(in) })
		return nil, errTimeout
	case Reset:
		if random.IntN(2) == 0 {
			m.deliverUnseen(in)
		}
		return nil, errReset
	case ServerError:
		if random.IntN(2) == 0 {
			m.deliverUnseen(in)
		}
		return in.Replies.ServerError.to(r), nil
	case Throttle:
		return in.Replies.Throttle.to(r), nil
	case Slow:
		in.others.wait(r.Context(), afterOthers(random))
	}
	return m.deliver(in)
}

// afterOthers draws how many other requests a delayed one lets pass.
func afterOthers(random *rand.Rand) int { return 1 + random.IntN(30) }

// late has a delivery made after some other requests.
func (in *Injector) late(kind Kind, random *rand.Rand, deliver func()) {
	in.flying.Add(1)
	in.others.after(afterOthers(random), func() {
		go func() {
			defer in.flying.Done()
			in.counts[kind].Add(1)
			deliver()
		}()
	})
}

// copy gives a further delivery of a message, to be made once, at any time.
func (in *Injector) copy(m message) (deliver func()) {
	if in.Copied == nil {
		m.trip.begin()
		return func() {
			defer m.trip.done()
			m.deliverUnseen(in)
		}
	}
	ctx := context.WithoutCancel(m.request.Context())
	return func() {
		ctx, over := in.Copied(ctx)
		defer over()
		message{m.request.WithContext(ctx), m.body, TripOf(ctx)}.deliverUnseen(in)
	}
}

// draw decides what happens to a message.
func (in *Injector) draw(m message) (Kind, *rand.Rand) {
	random := rand.New(rand.NewPCG(in.Seed^in.hop, hash(m.trip.name)+uint64(m.trip.try(in))))
	return in.Rates.draw(random), random
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// message is a request that can be delivered any number of times.
type message struct {
	request *http.Request
	body    []byte
	trip    *Trip
}

// read takes a request off its caller. One that belongs to no trip makes one of
// its own, named by its place in the order of those.
func (in *Injector) read(r *http.Request) (message, error) {
	m := message{request: r, trip: TripOf(r.Context())}
	if m.trip == nil {
		m.trip = NewTrip(fmt.Sprint(in.loose.Add(1)), nil)
	}
	if r.Body == nil {
		return m, nil
	}
	defer r.Body.Close()
	var err error
	m.body, err = io.ReadAll(r.Body)
	return m, err
}

func (m message) deliver(in *Injector) (*http.Response, error) {
	m.trip.arrive(in)
	r := m.request.Clone(m.request.Context())
	r.Body = http.NoBody
	if len(m.body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(m.body))
	}
	return in.next.RoundTrip(r)
}

// deliverUnseen delivers the message and drops the reply, or the failure. It
// goes on when the caller has gone.
func (m message) deliverUnseen(in *Injector) {
	m.request = m.request.WithContext(context.WithoutCancel(m.request.Context()))
	if resp, err := m.deliver(in); err == nil {
		io.Copy(io.Discard, resp.Body) //nolint:errcheck // nobody waits for it
		resp.Body.Close()
	}
}
