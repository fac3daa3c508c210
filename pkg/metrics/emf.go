package metrics

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"time"
)

// Limits of a document: see "Specification: Embedded metric format".
const (
	maxMetrics = 100
	maxValues  = 100
)

// Labels are what all measurements of a set have in common.
type Labels struct {
	// Namespace is where CloudWatch puts the metrics.
	Namespace string
	// At is when they were measured.
	At time.Time
	// Dimensions come before those of each measurement.
	Dimensions []Dimension
	// Properties are told in each document and are no dimension: they are found
	// by a search of the log. They must not have the names of others.
	Properties map[string]string
}

// definition is an element of "Metrics".
type definition struct {
	Name string
	Unit Unit
}

// directive is an element of "CloudWatchMetrics".
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []definition
}

// metadata is the member "_aws".
type metadata struct {
	Timestamp         int64 // milliseconds since the Unix epoch
	CloudWatchMetrics []directive
}

// Write writes what s gathered, a line for each combination of dimensions, and
// empties it. Of nothing it writes nothing.
func (s *Set) Write(w io.Writer, labels Labels) error {
	s.mu.Lock()
	groups := s.groups
	s.groups = nil
	s.mu.Unlock()
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines) // ends each document with a new line
	for _, g := range groups {
		g.dimensions = append(slices.Clone(labels.Dimensions), g.dimensions...)
		for some := range slices.Chunk(g.metrics, maxMetrics) {
			for first := 0; ; first += maxValues {
				doc, ok := document(labels, g.dimensions, some, first)
				if !ok {
					break
				}
				if err := encoder.Encode(doc); err != nil {
					return err
				}
			}
		}
	}
	_, err := w.Write(lines.Bytes())
	return err
}

// document holds the values of some metrics from the first on; not ok where
// there are none any more.
func document(labels Labels, dimensions []Dimension, metrics []*series, first int) (doc map[string]any, ok bool) {
	d := directive{Namespace: labels.Namespace, Dimensions: [][]string{{}}}
	doc = map[string]any{}
	for name, value := range labels.Properties {
		doc[name] = value
	}
	for _, dimension := range dimensions {
		d.Dimensions[0] = append(d.Dimensions[0], dimension.Name)
		doc[dimension.Name] = dimension.Value
	}
	for _, m := range metrics {
		if first >= len(m.values) {
			continue
		}
		values := m.values[first:min(first+maxValues, len(m.values))]
		if doc[m.name] = values; len(values) == 1 {
			doc[m.name] = values[0]
		}
		d.Metrics = append(d.Metrics, definition{m.name, m.unit})
	}
	doc["_aws"] = metadata{labels.At.UnixMilli(), []directive{d}}
	return doc, len(d.Metrics) > 0
}
