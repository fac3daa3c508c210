package metrics

import (
	"context"
	"strings"
	"sync"
)

// Unit is what the values of a metric count, by CloudWatch's name.
type Unit string

// The units in use.
const (
	Count        Unit = "Count"
	Seconds      Unit = "Seconds"
	Milliseconds Unit = "Milliseconds"
)

// Dimension tells the values of one metric apart. Every combination of values is
// a metric of its own, which is paid for: values are of a small, fixed set, never
// a workspace or a runner.
type Dimension struct{ Name, Value string }

// Set gathers measurements. Its methods may be called concurrently; a nil Set
// drops what it is given, for callers that nobody measures.
type Set struct {
	mu     sync.Mutex
	groups []*group // in the order of their first values
}

// group holds the metrics of the same dimensions.
type group struct {
	key        string
	dimensions []Dimension
	metrics    []*series
}

// series is the values of a metric.
type series struct {
	name   string
	unit   Unit
	values []float64
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add adds a value to a metric. Dimensions without a value are left out.
func (s *Set) Add(name string, unit Unit, value float64, dimensions ...Dimension) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.group(dimensions).series(name, unit)
	m.values = append(m.values, value)
}

func (s *Set) group(dimensions []Dimension) *group {
	var key strings.Builder
	g := &group{}
	for _, d := range dimensions {
		if d.Value == "" {
			continue
		}
		g.dimensions = append(g.dimensions, d)
		key.WriteString(d.Name + "\x00" + d.Value + "\x00")
	}
	g.key = key.String()
	for _, known := range s.groups {
		if known.key == g.key {
			return known
		}
	}
	s.groups = append(s.groups, g)
	return g
}

func (g *group) series(name string, unit Unit) *series {
	for _, m := range g.metrics {
		if m.name == name {
			return m
		}
	}
	g.metrics = append(g.metrics, &series{name: name, unit: unit})
	return g.metrics[len(g.metrics)-1]
}

type contextKey struct{}

// With has what is measured under the context gathered by s.
func With(ctx context.Context, s *Set) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// From gives the set of the context, nil where it has none.
func From(ctx context.Context) *Set {
	s, _ := ctx.Value(contextKey{}).(*Set)
	return s
}
