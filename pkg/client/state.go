package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Version describes a version of a workspace's Terraform state.
type Version = lockapi.Version

// Versions lists the versions of a workspace's state that are kept, the latest
// first.
func (c *Client) Versions(ctx context.Context, ws string) ([]Version, error) {
	if err := lockmodel.CheckWorkspace(ws); err != nil {
		return nil, err
	}
	var list struct{ Versions []Version }
	_, err := c.send(ctx, c.query(opVersions, versionsPath+ws, into(&list, func(l struct{ Versions []Version }) bool { return l.Versions != nil })))
	return list.Versions, err
}

const versionsPath = "/v1/versions/"

// State reads a version of a workspace's state, 0 for the current one, and
// checks that it is whole. Where there is none, the error is a *RefusedError
// with the code "no_state".
func (c *Client) State(ctx context.Context, ws string, version int64) ([]byte, error) {
	all, err := c.Versions(ctx, ws)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		if version != v.Version && (version != 0 || !v.Current) {
			continue
		}
		var state []byte
		cl := c.query(opState, versionsPath+ws+"?version="+strconv.FormatInt(v.Version, 10), func(body []byte) bool {
			sum := sha256.Sum256(body)
			state = body
			return hex.EncodeToString(sum[:]) == v.Checksum
		})
		cl.most = v.Size
		_, err := c.send(ctx, cl)
		return state, err
	}
	return nil, noVersion(ws, version)
}

func noVersion(ws string, version int64) error {
	reason := ws + " has no state"
	if version != 0 {
		reason = fmt.Sprintf("%s has no version %d that is kept", ws, version)
	}
	return &RefusedError{Op: opState, Status: http.StatusNotFound, Code: CodeNoState, Reason: reason}
}

// CodeNoState is the code of a RefusedError about a state that there is not.
const CodeNoState lockmodel.Code = "no_state"

// Restore makes an earlier version of a workspace's state current again, as a
// new version, under the hold that h names. It gives the service's answer, with
// the new version's number.
func (c *Client) Restore(ctx context.Context, h Hold, version int64) (lockmodel.Answer, error) {
	body, _ := json.Marshal(struct { // strings and a number: can't fail
		Workspace string `json:"ws"`
		LockID    string `json:"lock_id,omitempty"`
		Version   int64  `json:"version"`
	}{h.Workspace, h.LockID, version})
	var a lockmodel.Answer
	_, err := c.send(ctx, call{
		op: opRestore, method: http.MethodPost, target: "/v1/restore", body: body, key: uuid.NewString(), tries: c.tries(),
		accept: into(&a, func(a lockmodel.Answer) bool { return a.OK && a.Lock.Workspace == h.Workspace && a.Version > 0 }),
	})
	return a, err
}
