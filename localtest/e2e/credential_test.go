package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// A token is the password of basic auth. One that expires while an apply runs
// serves that apply to its end, and nothing after it.
// https://github.com/gruntwork-io/terragrunt/issues/396
// https://github.com/hashicorp/terraform/issues/33264
func TestTokenExpiresDuringApply(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		database := httptest.NewServer(engine.New())
		t.Cleanup(database.Close)
		table := []string{"--endpoint=" + database.URL, "--table=locks"}
		serve(t, append(table, "--create-table")...) // makes the table
		token := func(flags ...string) string {
			c := exec.CommandContext(t.Context(), statelock(t), append(append([]string{"token", "create", "--name=test"}, table...), flags...)...)
			c.Stderr = os.Stderr
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSpace(string(out))
		}
		operator := token("--ws=**", "--allow=read,mark_stale,force_unlock")
		job := token("--ws=team/**", "--expires=20s")
		s := serve(t, append(table, "--credentials")...)
		var err error
		if s.Client, err = client.New(s.url, client.Options{Credentials: client.Bearer(operator)}); err != nil {
			t.Fatal(err)
		}

		nobody := k.folder(t, things)
		nobody.write(t, "backend.tf", k.backend(t, s.url, "team/prod"))
		nobody.run(t, "init").fails(t, "requires auth")
		stranger := k.folder(t, things)
		stranger.env = append(stranger.env, "TF_HTTP_PASSWORD="+job)
		stranger.write(t, "backend.tf", k.backend(t, s.url, "other/prod"))
		stranger.run(t, "init").fails(t, "invalid auth")

		p := k.folder(t, things)
		p.env = append(p.env, "TF_HTTP_PASSWORD="+job)
		p.write(t, "backend.tf", k.backend(t, s.url, "team/prod"))
		p.run(t, "init").works(t)
		held, open := p.applyHeld(t, "one")
		if v := s.is(t, "team/prod", lockmodel.Held); !strings.HasPrefix(v.Principal, "token:") {
			t.Errorf("held by %+v", v)
		}
		s.awaitLapse(t, "team/prod", job)
		open()
		held.works(t)
		s.is(t, "team/prod", lockmodel.Unlocked)
		versions, err := s.Versions(t.Context(), "team/prod")
		if err != nil || len(versions) != 1 {
			t.Errorf("versions %+v, %v", versions, err)
		}
		p.run(t, "plan").fails(t, "auth")
	})
}

// awaitLapse waits until a credential opens nothing more.
func (s *service) awaitLapse(t *testing.T, ws, secret string) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if status, _ := s.ask(t, "GET", "/v1/locks/"+ws, nil, "Authorization", "Bearer "+secret); status == http.StatusUnauthorized {
			return
		}
		if time.Now().After(until) {
			t.Fatal("the credential does not lapse")
		}
	}
}
