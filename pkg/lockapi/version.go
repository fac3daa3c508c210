package lockapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Version is a version of a workspace's state as callers see it, in JSON.
type Version struct {
	// Version is its number: it counts the workspace's writes.
	Version int64 `json:"version"`
	// Serial and Lineage are as the state says, left out where it says none.
	Serial  *int64 `json:"serial,omitempty"`
	Lineage string `json:"lineage,omitempty"`
	// Size is in bytes; Checksum is SHA-256 in hex.
	Size     int64  `json:"size"`
	Checksum string `json:"checksum"`
	// By is who wrote it, At when, LockID under which lock.
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	LockID string    `json:"lock_id,omitempty"`
	// Current tells the version that is read.
	Current bool `json:"current,omitempty"`
}

// versionList is the JSON of the versions that are kept.
type versionList struct {
	Versions []Version `json:"versions"`
}

const fieldVersion = "version"

// versions serves the list of versions, or with a parameter one of them.
func (a *API) versions(w http.ResponseWriter, r *http.Request) {
	p, err := parameters(r, fieldVersion)
	if err == nil {
		err = may(r.Context(), auth.Read, r.PathValue("ws"))
	}
	if err != nil {
		a.sendState(w, r, ddbstore.State{}, err)
		return
	}
	text, one := p[fieldVersion]
	if !one {
		status, body := a.listVersions(r)
		reply(w, status, body)
		return
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 1 {
		a.sendState(w, r, ddbstore.State{}, &lockmodel.FieldError{Field: fieldVersion, Problem: "must be a whole number from 1"})
		return
	}
	state, err := a.store.VersionState(r.Context(), r.PathValue("ws"), number)
	a.sendState(w, r, state, err)
}

func (a *API) listVersions(r *http.Request) (int, any) {
	all, err := a.store.Versions(r.Context(), r.PathValue("ws"))
	if err != nil {
		return a.failed(r.Context(), err)
	}
	list := versionList{Versions: make([]Version, 0, len(all))}
	for _, v := range all {
		shown := Version{
			Version: v.Number, Lineage: v.Lineage, Size: v.Size, Checksum: v.Checksum,
			By: v.By, At: time.UnixMilli(v.At).UTC(), LockID: v.LockID, Current: v.Current,
		}
		if v.Serial != lockmodel.Missing {
			shown.Serial = &v.Serial
		}
		list.Versions = append(list.Versions, shown)
	}
	return http.StatusOK, list
}

// restore makes an earlier version current again, under a lock that wrote no
// state yet: it writes a copy, so that no version is ever changed. A repetition is
// known by its request id, since what it would write is not the same.
func (a *API) restore(r *http.Request) (int, any) {
	ctx := r.Context()
	doc, err := readDocument(limited(r, MaxBody).Body)
	if err != nil {
		return a.failed(ctx, err)
	}
	c, err := decodeCommand(doc, []string{"ws", "lock_id", fieldVersion})
	switch {
	case err != nil:
		return a.failed(ctx, err)
	case c.lockID == "":
		return a.failed(ctx, &lockmodel.FieldError{Field: "lock_id", Problem: "missing; acquire the lock, and restore under it"})
	case c.version == nil || *c.version < 1:
		return a.failed(ctx, &lockmodel.FieldError{Field: fieldVersion, Problem: "must be a whole number from 1"})
	}
	if err := may(ctx, auth.Read, c.ws); err != nil {
		return a.failed(ctx, err)
	}
	body, err := a.store.Restorable(ctx, c.ws, *c.version)
	if err != nil {
		return a.failed(ctx, err)
	}
	return a.storeState(ctx, lockmodel.Request{Op: lockmodel.WriteState, Workspace: c.ws, LockID: c.lockID, ID: requestID(ctx), Restore: true}, body)
}
