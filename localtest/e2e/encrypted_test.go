package e2e

import (
	"bytes"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// A state that OpenTofu encrypts is stored as it is, and never in the clear.
func TestEncryptedState(t *testing.T) {
	t.Parallel()
	for _, verbs := range []bool{false, true} {
		s := serve(t)
		p := kind{name: "tofu", program: tofu(t), verbs: verbs}.project(t, s.url, "prod", things+`
terraform {
  encryption {
    key_provider "pbkdf2" "key" { passphrase = "a passphrase of some length" }
    method "aes_gcm" "method" { keys = key_provider.pbkdf2.key }
    state {
      method   = method.aes_gcm.method
      enforced = true
    }
  }
}
`)
		p.apply(t, "a-secret").works(t)
		p.apply(t, "another-secret").works(t)
		if heard := p.apply(t, "another-secret").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("an apply of nothing said\n%s", heard)
		}
		stored := s.state(t, "prod")
		if !bytes.Contains(stored, []byte("encrypted_data")) || bytes.Contains(stored, []byte("secret")) {
			t.Errorf("the state is stored as\n%s", stored)
		}
		if versions := s.versions(t, "prod"); len(versions) < 2 {
			t.Errorf("versions %+v", versions)
		}
		start(t, p.dir, append(p.env, "STATELOCK_URL="+s.url), statelock(t), "state", "restore", "--ws=prod", "--version=1").works(t)
		if heard := p.apply(t, "a-secret").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("an apply of what was restored said\n%s", heard)
		}
		p.apply(t, "a-third-secret").works(t)
		s.is(t, "prod", lockmodel.Unlocked)
	}
}
