package lockapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// lockInfo is what Terraform and OpenTofu say of a lock: LockInfo of their
// package statemgr. All its fields are always there.
type lockInfo struct {
	ID, Operation, Info, Who, Version, Created, Path string
}

// readLockInfo reads the body of a LOCK or UNLOCK. A body that is empty gives
// an empty one. raw is the body as it is stored.
func readLockInfo(r *http.Request) (info lockInfo, raw string, err error) {
	doc, err := readDocument(r.Body)
	if err != nil || len(bytes.TrimSpace(doc)) == 0 {
		return info, "", err
	}
	var compact bytes.Buffer
	if json.Compact(&compact, doc) != nil || compact.Bytes()[0] != '{' {
		return info, "", &lockmodel.FieldError{Field: "body", Problem: "not a LockInfo in JSON"}
	}
	if err := json.Unmarshal(doc, &info); err != nil {
		return info, "", &lockmodel.FieldError{Field: "body", Problem: "a LockInfo has strings for ID, Operation, Info, Who, Version, Created and Path"}
	}
	if info.ID != "" && !lockmodel.ValidID(info.ID) {
		return info, "", &lockmodel.FieldError{Field: "ID", Problem: "not one that Terraform or OpenTofu make"}
	}
	return info, strings.ToValidUTF8(compact.String(), "\uFFFD"), nil
}

// bare reports whether i names a lock and says nothing of it: OpenTofu's
// force-unlock sends its zero LockInfo with the ID that was typed in.
func (i lockInfo) bare() bool {
	created, err := time.Parse(time.RFC3339Nano, i.Created)
	return i.Who == "" && i.Operation == "" && (err != nil || created.IsZero())
}

// holder makes a holder's name of Who, which may be anything.
func (i lockInfo) holder() string {
	name := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(i.Who, ""))
	if len(name) > lockmodel.MaxRunner {
		name = strings.ToValidUTF8(name[:lockmodel.MaxRunner], "")
	}
	if name = strings.TrimSpace(name); name == "" {
		return "terraform"
	}
	return name
}

// conflict is the body that tells Terraform who is in the way: always a
// LockInfo with an ID and a time, since some of its versions give up waiting
// otherwise, and with an Info that people are shown.
func conflict(out lockmodel.Outcome) lockInfo {
	l := out.Before
	body := lockInfo{Who: l.Runner, Path: l.Workspace}
	if l.LockID != "" {
		_ = json.Unmarshal([]byte(l.Info), &body) // without one, what is here must do
	}
	body.ID = cmp.Or(l.LockID, out.Request.LockID)                 // nobody is in the way but what Info says
	if new(time.Time).UnmarshalText([]byte(body.Created)) != nil { // as the client will read it
		body.Created = time.UnixMilli(max(l.AcquiredAt, l.ChangedAt, 0)).UTC().Format(time.RFC3339Nano)
	}
	body.Info = explain(l.View(out.Request.Terms), out)
	return body
}

// explain tells a person what is known of the lock in the way, and what to do.
func explain(l lockmodel.View, out lockmodel.Outcome) string {
	lease := "no lease"
	if l.LeaseUntil != "" {
		lease = "lease until " + l.LeaseUntil
	}
	switch {
	case out.Rule.Code != lockmodel.CodeHeld && out.Rule.Code != lockmodel.CodeStale:
		return out.Answer().Reason
	case l.State == lockmodel.Stale:
		return fmt.Sprintf("STALE since %s, held since %s, fence %d; make sure that its holder is gone, then force-unlock", l.StaleAt, l.AcquiredAt, l.Fence)
	}
	return fmt.Sprintf("held since %s, fence %d, %s; if its holder is gone: statelock mark-stale --ws %s, then force-unlock", l.AcquiredAt, l.Fence, lease, l.Workspace)
}
