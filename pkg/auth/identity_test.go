package auth_test

import (
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Each operation of the transition table is a permission under its own name.
func TestOperationsArePermissions(t *testing.T) {
	t.Parallel()
	for _, op := range lockmodel.Ops() {
		if err := auth.Permission(op.String()).Check(); err != nil {
			t.Error(err)
		}
	}
	if err := auth.Permission("acquire ").Check(); err == nil || !strings.Contains(err.Error(), "there are read, acquire, ") {
		t.Error(err)
	}
}

// Grants don't mix: what one allows on its workspaces it does not allow on
// those of another.
func TestMay(t *testing.T) {
	t.Parallel()
	id := auth.Identity{Grants: []auth.Grant{
		{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"dev/**"}},
		{Permissions: []auth.Permission{auth.Read, auth.ForceUnlock}, Workspaces: []auth.Pattern{"prod/**", "stage"}},
	}}
	lapsed := id
	lapsed.Lapsed = true
	for _, c := range []struct {
		p                auth.Permission
		ws               string
		may, lapsedMayBe bool
	}{
		{auth.Acquire, "dev/a", true, false},
		{auth.WriteState, "dev/a", true, true},
		{auth.ReleaseLock, "dev/a", true, true},
		{auth.Read, "dev/a", true, false},
		{auth.Renew, "dev/a", true, false},
		{auth.ForceUnlock, "dev/a", false, false},
		{auth.ForceUnlock, "prod/a", true, false},
		{auth.WriteState, "prod/a", false, false},
		{auth.ReleaseLock, "stage", false, false},
		{auth.Read, "stage", true, false},
		{auth.Read, "other", false, false},
		{"", "dev/a", false, false},
	} {
		if id.May(c.p, c.ws) != c.may || lapsed.May(c.p, c.ws) != c.lapsedMayBe {
			t.Errorf("%s on %s: %v, lapsed %v", c.p, c.ws, id.May(c.p, c.ws), lapsed.May(c.p, c.ws))
		}
	}
	if !id.MayAnywhere(auth.Read) || id.MayAnywhere(auth.MarkStale) || lapsed.MayAnywhere(auth.Read) || (auth.Identity{}).MayAnywhere(auth.Read) {
		t.Error("MayAnywhere is wrong")
	}
}
