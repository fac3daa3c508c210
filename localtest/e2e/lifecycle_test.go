package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// A workspace's whole life. Each write is a version, under the lock, and the
// lock is free between.
func TestLifecycle(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "team/prod", things)
		if s.state(t, "team/prod") != nil {
			t.Error("there is a state before the first apply")
		}
		if heard := p.run(t, "plan").works(t); !strings.Contains(heard, "1 to add") {
			t.Errorf("plan said\n%s", heard)
		}
		s.is(t, "team/prod", lockmodel.Unlocked)
		p.apply(t, "one").works(t)
		s.is(t, "team/prod", lockmodel.Unlocked)
		p.apply(t, "two").works(t)
		if heard := p.apply(t, "two").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("an apply of nothing said\n%s", heard)
		}
		if heard := p.run(t, "state", "list").works(t); heard != "terraform_data.thing\n" {
			t.Errorf("state list said\n%s", heard)
		}
		stored, pulled := readState(t, s.state(t, "team/prod")), readState(t, []byte(p.pull(t)))
		if stored.Serial != pulled.Serial || stored.Lineage != pulled.Lineage || stored.Lineage == "" {
			t.Errorf("stored is serial %d of %q, pulled is serial %d of %q", stored.Serial, stored.Lineage, pulled.Serial, pulled.Lineage)
		}

		// A state that was changed by hand is pushed, if its serial is the next.
		changed := strings.ReplaceAll(p.pull(t), `"two"`, `"by hand"`)
		p.write(t, "changed.tfstate", changed)
		p.run(t, "state", "push", "changed.tfstate").fails(t, "same serial")
		next := regexp.MustCompile(`"serial": *\d+`).ReplaceAllString(changed, fmt.Sprintf(`"serial": %d`, pulled.Serial+1))
		p.write(t, "changed.tfstate", next)
		p.run(t, "state", "push", "changed.tfstate").works(t)
		if got := string(s.state(t, "team/prod")); !strings.Contains(got, `"by hand"`) {
			t.Errorf("after push the state is\n%s", got)
		}

		p.run(t, "destroy").works(t)
		if got := readState(t, s.state(t, "team/prod")); len(got.Resources) != 0 || got.Lineage != stored.Lineage {
			t.Errorf("after destroy the state is %+v", got)
		}
		v := s.is(t, "team/prod", lockmodel.Unlocked)
		if len(serials(t, s, "team/prod")) != 4 || v.Fence < 6 {
			t.Errorf("serials %v, fence %d", serials(t, s, "team/prod"), v.Fence)
		}
		for _, version := range s.versions(t, "team/prod") {
			if version.LockID == "" || version.Lineage != stored.Lineage {
				t.Errorf("version %+v", version)
			}
		}
	})
}

// A version that was restored is what the next run works on, and no plan that was
// saved before is taken for it.
func TestRestoredVersion(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", things)
		p.apply(t, "one").works(t)
		p.apply(t, "two").works(t)
		p.run(t, "plan", "-var=change=saved", "-out=saved").works(t)
		start(t, p.dir, append(p.env, "STATELOCK_URL="+s.url), statelock(t), "state", "restore", "--ws=prod", "--version=1").works(t)
		if heard := p.apply(t, "one").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("an apply of what was restored said\n%s", heard)
		}
		p.run(t, "apply", "saved").fails(t, "stale")
		p.apply(t, "three").works(t)
		if v := s.is(t, "prod", lockmodel.Unlocked); v.Version != 4 {
			t.Errorf("%+v", v)
		}
	})
}

// A long apply stores its state from time to time, under one lock, with rising
// serials.
func TestLongApply(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", `
resource "terraform_data" "first" {}
resource "terraform_data" "long" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "sleep 21" } # both clients store every 20 s
}
resource "terraform_data" "last" {
  depends_on = [terraform_data.long]
  provisioner "local-exec" { command = "echo at the gate; until [ -e gate ]; do sleep 0.05; done" }
}
`)
		held := p.run(t, "apply")
		held.await(t, "(local-exec): at the gate")
		if got := readState(t, s.state(t, "prod")); len(got.Resources) < 2 {
			t.Errorf("in the middle the state is %+v", got)
		}
		p.write(t, "gate", "")
		held.works(t)
		if got := serials(t, s, "prod"); len(got) < 2 || !rising(got) {
			t.Errorf("serials %v", got)
		}
		if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != 1 {
			t.Errorf("fence %d", v.Fence)
		}
	})
}

// serials gives those of a workspace's versions, the oldest first.
func serials(t *testing.T, s *service, ws string) []int64 {
	t.Helper()
	var all []int64
	for _, v := range s.versions(t, ws) {
		if v.Serial == nil {
			t.Fatalf("a version without a serial: %+v", v)
		}
		all = append([]int64{*v.Serial}, all...)
	}
	return all
}

// Who doesn't lock writes while nobody holds the lock, and not while somebody
// does. https://github.com/hashicorp/terraform/issues/24294
func TestWithoutLock(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p, other := k.project(t, s.url, "prod", things), k.project(t, s.url, "prod", things)
		p.apply(t, "one", "-lock=false").works(t)
		if v := s.lock(t, "prod"); v.Fence != 0 {
			t.Errorf("the lock was taken: %+v", v)
		}
		held, open := p.applyHeld(t, "two")
		before := s.state(t, "prod")
		other.apply(t, "three", "-lock=false").fails(t, "HTTP error: 409")
		if string(s.state(t, "prod")) != string(before) {
			t.Error("the state was written while another held the lock")
		}
		open()
		held.works(t)
		if got := string(s.state(t, "prod")); !strings.Contains(got, `"two"`) {
			t.Errorf("the holder's state is not there:\n%s", got)
		}
	})
}

// A service can be told to take no state without a lock, so that one address
// too few in a configuration is found at once.
// https://github.com/hashicorp/terraform/issues/23777
func TestWithoutLockWhereItIsRequired(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t, "--require-lock")
		p := k.folder(t, things)
		p.write(t, "backend.tf", `terraform {
			backend "http" {
				address = "`+s.url+`/v1/tf/prod"
			}
		}`)
		p.run(t, "init").works(t)
		p.apply(t, "one").fails(t, "HTTP error: 400")
		if s.state(t, "prod") != nil {
			t.Error("the state was written")
		}
	})
}

// A state that was kept in a file moves to the service, and is what it was.
func TestMigrationFromLocal(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.folder(t, things)
		p.run(t, "init").works(t)
		p.apply(t, "local").works(t)
		before := readState(t, []byte(p.pull(t)))
		p.write(t, "backend.tf", k.backend(t, s.url, "moved"))
		p.run(t, "init", "-migrate-state", "-force-copy").works(t)
		s.is(t, "moved", lockmodel.Unlocked)
		after := readState(t, s.state(t, "moved"))
		if diff := cmp.Diff(before.Resources, after.Resources); diff != "" {
			t.Errorf("moved (-want +got):\n%s", diff)
		}
		if heard := p.apply(t, "local").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("the first apply after it said\n%s", heard)
		}
	})
}

// These clients have no workspaces over http: a path each does as well.
// https://github.com/hashicorp/terraform/issues/26797
func TestWorkspacePerPath(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		names := []string{"app", "app/prod", "app/prod/eu-1", "app_2.x"}
		for _, ws := range names {
			k.project(t, s.url, ws, things).apply(t, ws).works(t)
		}
		lineages := map[string]bool{}
		for _, ws := range names {
			state := readState(t, s.state(t, ws))
			if got := state.Resources[0].Instances[0].input(); got != ws {
				t.Errorf("the state of %s is that of %s", ws, got)
			}
			lineages[state.Lineage] = true
		}
		if len(lineages) != len(names) {
			t.Errorf("lineages %v", lineages)
		}
		if status, _ := s.ask(t, "GET", "/v1/tf/app/test", nil); status != http.StatusNotFound {
			t.Errorf("a workspace that nobody has made: %d", status)
		}
	})
}

// The settings can come by the environment alone.
func TestBackendConfigByEnvironment(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.folder(t, things+"\nterraform {\n  backend \"http\" {}\n}\n")
		exports := k.backend(t, s.url, "prod", "--env", "--lease=1h")
		p.write(t, "job.sh", exports+`
			"$1" init -input=false && "$1" apply -auto-approve -input=false -var=gate="$2"`)
		job := start(t, p.dir, p.env, "sh", "job.sh", p.program, p.path("gate"))
		job.await(t, "(local-exec): at the gate")
		if v := s.is(t, "prod", lockmodel.Held); v.LeaseUntil == "" {
			t.Errorf("the lease is missing: %+v", v)
		}
		p.write(t, "gate", "")
		job.works(t)
		s.is(t, "prod", lockmodel.Unlocked)
		if got := serials(t, s, "prod"); len(got) != 1 {
			t.Errorf("serials %v", got)
		}
	})
}
