package ddbstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// ErrNoState is the error of reading a state that there is not: none was
// written, it was deleted, or the version is not kept.
var ErrNoState = errors.New("there is no such state")

// ErrStateDamaged is the error of reading a state of which a part is missing or
// changed. It is never to be taken for a state that is absent.
var ErrStateDamaged = errors.New("the stored state is damaged")

// State is a version of a workspace's state.
type State struct {
	// Body is the state as it was written.
	Body []byte
	// Gzip is the same, compressed.
	Gzip []byte
}

// WriteState makes body the current state of the request's workspace: it stores
// the body as items that never change, and then has one conditional write, a
// transition like any other, make them current. An outcome that is a refusal,
// an error, and a process that dies anywhere on the way all leave the current
// state as it was, or, if the write landed, the new one.
//
// The request says for which hold (LockID, "" for none) and, by its ID, which
// write it is; it brings nothing else of the state. Its time is that of the call:
// whatever is written while the body is on its way comes later.
//
// Settle is to be called with the outcome. A request of the same operation that
// goes through Transition brings no state, and deletes the one there is.
func (s *Store) WriteState(ctx context.Context, r lockmodel.Request, body []byte) (lockmodel.Outcome, error) {
	sum := sha256.Sum256(body)
	serial, lineage := readable(body)
	r.Op, r.Version, r.Checksum = lockmodel.WriteState, uuid.NewString(), hex.EncodeToString(sum[:])
	r.Size, r.Serial = int64(len(body)), serial
	r = s.complete(r)
	if err := r.Validate(); err != nil {
		return lockmodel.Outcome{}, err
	}
	if err := s.upload(ctx, r, lineage, compress(body)); err != nil {
		return lockmodel.Outcome{}, err
	}
	return s.write(ctx, r)
}

// State reads the current state of a workspace, consistently with all writes
// before; ErrNoState where there is none.
func (s *Store) State(ctx context.Context, ws string) (State, error) {
	l, err := s.Lock(ctx, ws)
	switch {
	case err != nil:
		return State{}, err
	case l.Version == "" && (l.Checksum != "" || l.Size != lockmodel.Missing):
		return State{}, fmt.Errorf("read a state of %s: %w: what points to it is gone", ws, ErrStateDamaged)
	case l.Version == "":
		return State{}, ErrNoState
	}
	return s.download(ctx, ws, l.Version, l.Checksum)
}

// readable finds the serial number and the lineage of a state that says them,
// as plain ones do (format version 4, which Terraform has written since 0.12) and
// those that OpenTofu encrypts. Others may be any bytes.
func readable(body []byte) (serial int64, lineage string) {
	var plain struct {
		Serial  *int64  `json:"serial"`
		Lineage *string `json:"lineage"`
	}
	if json.Unmarshal(body, &plain) != nil || plain.Serial == nil || *plain.Serial < 0 || plain.Lineage == nil || len(*plain.Lineage) > lockmodel.MaxID {
		return lockmodel.Missing, ""
	}
	return *plain.Serial, *plain.Lineage
}
