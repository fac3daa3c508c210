package lockapi

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// perform has the store perform a request in its caller's name, and records it.
func (a *API) perform(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	return a.performBy(ctx, r, a.store.Transition)
}

// performBy is perform for a request that the store has a way of its own for.
func (a *API) performBy(ctx context.Context, r lockmodel.Request, by func(context.Context, lockmodel.Request) (lockmodel.Outcome, error)) (lockmodel.Outcome, error) {
	if err := lockmodel.CheckWorkspace(r.Workspace); err != nil {
		return lockmodel.Outcome{}, err
	}
	if err := may(ctx, auth.Permission(r.Op.String()), r.Workspace); err != nil {
		return lockmodel.Outcome{}, err
	}
	r.Principal = principal(ctx)
	c, _ := callerOf(ctx)
	switch {
	case c.Lapsed && r.LockID == "":
		return lockmodel.Outcome{}, c.unfit
	case c.Lapsed || r.Op == lockmodel.Acquire:
		r.Credential, r.Lapsed = c.Digest, c.Lapsed
	}
	out, err := by(ctx, r)
	if err != nil {
		return out, err
	}
	a.record(ctx, out)
	if c.Lapsed && !out.Rule.Done() {
		return out, c.unfit // the write alone proves the credential
	}
	return out, nil
}

// told is what the caller is told of an outcome. A write proves a credential that
// has lapsed; whoever only repeats one learns that it is done, and no more.
func told(ctx context.Context, out lockmodel.Outcome) (int, any) {
	if c, _ := callerOf(ctx); c.Lapsed && !out.Wrote() {
		return status(out), acknowledgement{OK: true, Repeat: true}
	}
	return status(out), out.Answer()
}

// acknowledgement is the JSON of what is told of nothing else.
type acknowledgement struct {
	OK     bool `json:"ok"`
	Repeat bool `json:"repeat"`
}

// record logs who asked for a transition and what became of it.
func (a *API) record(ctx context.Context, out lockmodel.Outcome) {
	state := out.Lock.State
	if !out.Lock.Exists {
		state = lockmodel.Unlocked
	}
	a.log.LogAttrs(ctx, slog.LevelInfo, "transition",
		slog.String("op", out.Request.Op.String()), slog.String("ws", out.Request.Workspace),
		slog.String("principal", out.Request.Principal), slog.Bool("lapsed", out.Request.Lapsed), slog.String("reason", out.Request.Reason), slog.String("request_id", out.Request.ID),
		slog.Bool("ok", out.Rule.Done()), slog.Bool("wrote", out.Wrote()), slog.String("code", string(out.Rule.Code)),
		slog.String("state", state), slog.String("owner", cmp.Or(out.Lock.Runner, out.Before.Runner)),
		slog.String("lock_id", cmp.Or(out.Lock.LockID, out.Before.LockID)), slog.Int64("fence", max(out.Lock.Fence, 0)))
}
