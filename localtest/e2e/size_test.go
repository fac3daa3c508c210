package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// big is a configuration whose state is about twice as big as its file.
const big = `
resource "terraform_data" "big" {
  input = file("${path.module}/big")
}
`

// noise is text that compression makes little smaller.
func noise(t *testing.T, size int) string {
	t.Helper()
	raw := make([]byte, size/2)
	if _, err := io.ReadFull(rand.Reader, raw); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(raw)
}

// States of 400 KB and of 5 MB come back as they were; the client sees nothing
// to do. https://github.com/ducktors/turborepo-remote-cache/issues/677
func TestBigStates(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		for _, size := range []int{400_000, 5_000_000} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				t.Parallel()
				s := serve(t)
				p := k.project(t, s.url, "prod", big)
				p.write(t, "big", noise(t, size/2))
				p.run(t, "apply").works(t)
				if got := len(s.state(t, "prod")); got < size || got > size+5000 {
					t.Errorf("the state has %d bytes", got)
				}
				p.run(t, "plan", "-detailed-exitcode").works(t)
				s.is(t, "prod", lockmodel.Unlocked)
			})
		}
	})
}

// Beyond the limit a state is refused with the limit named, nothing is lost, and
// the lock is free.
func TestStateOverTheLimit(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", big)
		p.write(t, "big", noise(t, 4_000_000))
		p.run(t, "apply").fails(t, "HTTP error: 413", "errored.tfstate")
		if s.state(t, "prod") != nil {
			t.Error("a part of it was stored")
		}
		s.is(t, "prod", lockmodel.Unlocked)
		status, body := s.ask(t, "POST", "/v1/tf/prod", []byte(p.erroredState(t)))
		if status != http.StatusRequestEntityTooLarge || !bytes.Contains(body, []byte("6291456 bytes")) {
			t.Errorf("%d %s", status, body)
		}
	})
}

// Any bytes will do: a state may be encrypted by its client.
func TestTenBytes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	state := []byte("\x00\xff23456789")
	if status, body := s.ask(t, "POST", "/v1/tf/prod", state); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	if got := s.state(t, "prod"); !bytes.Equal(got, state) {
		t.Errorf("%q came back", got)
	}
}
