package ddbstore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Restorable gives the body of a version so that it can be written again as the
// latest: with a serial number above those of all versions that are kept, where
// it is plain. Terraform takes a plan for its state by lineage and serial number,
// so a number that came back would let an old plan be applied to another state.
// What OpenTofu encrypted keeps its number. ErrNoState where the version is neither
// kept nor on its way out still.
func (s *Store) Restorable(ctx context.Context, ws string, number int64) ([]byte, error) {
	l, err := s.Lock(ctx, ws)
	if err != nil {
		return nil, err
	}
	all, err := s.versions(ctx, l)
	if err != nil {
		return nil, err
	}
	// Those on their way out stay: the oldest one, restored, is among them, and a
	// repetition of the request must find it. What never became current goes.
	all = slices.DeleteFunc(all, func(v Version) bool { return v.Number == 0 })
	n := slices.IndexFunc(all, func(v Version) bool { return v.Number == number })
	if n < 0 {
		return nil, ErrNoState
	}
	state, err := s.download(ctx, ws, all[n].id, all[n].Checksum)
	if all[n].expires && errors.Is(err, ErrStateDamaged) {
		return nil, ErrNoState // parts of it went first
	}
	if err != nil || all[n].Serial == lockmodel.Missing || encrypted(state.Body) {
		return state.Body, err
	}
	highest := all[n].Serial
	for _, v := range all {
		highest = max(highest, v.Serial) // Missing is the least there is
	}
	if highest == math.MaxInt64 {
		return state.Body, nil // there is no higher one
	}
	return withSerial(state.Body, highest+1), nil
}

// encrypted reports whether OpenTofu encrypted the state. It has its serial number
// inside once more, and both must be the same.
func encrypted(body []byte) bool {
	var outer map[string]json.RawMessage
	return json.Unmarshal(body, &outer) == nil && outer["encrypted_data"] != nil
}

// withSerial puts another serial number into a plain state and leaves the rest of
// it as it is, byte for byte.
func withSerial(body []byte, serial int64) []byte {
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil { // the object's brace
		return body
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return body
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return body
		}
		if name == "serial" {
			end := dec.InputOffset()
			return slices.Concat(body[:end-int64(len(value))], strconv.AppendInt(nil, serial, 10), body[end:])
		}
	}
	return body
}
