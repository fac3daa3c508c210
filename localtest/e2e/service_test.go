package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// service is a server process, with a client for what the stories' operators do.
type service struct {
	*client.Client
	url string
}

// serve starts a server on a free port, in memory unless the flags say else.
func serve(t *testing.T, flags ...string) *service {
	t.Helper()
	if !strings.Contains(strings.Join(flags, " "), "--endpoint") {
		flags = append(flags, "--memory")
	}
	p := start(t, t.TempDir(), os.Environ(), statelock(t), append([]string{"serve", "--listen=127.0.0.1:0"}, flags...)...)
	p.await(t, `"msg":"serving"`)
	p.await(t, "\n")
	heard, _, _ := p.said.sofar()
	s := &service{}
	for line := range strings.Lines(heard) {
		var entry struct{ URL string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.URL != "" {
			s.url = entry.URL
		}
	}
	var err error
	if s.Client, err = client.New(s.url, client.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			heard, _, _ := p.said.sofar()
			t.Logf("the server's log:\n%s", heard)
		}
	})
	return s
}

// lock shows a lock.
func (s *service) lock(t *testing.T, ws string) client.View {
	t.Helper()
	v, err := s.Status(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// is checks how a lock stands.
func (s *service) is(t *testing.T, ws string, want lockmodel.State) client.View {
	t.Helper()
	v := s.lock(t, ws)
	if v.State != want {
		t.Errorf("%s is %s, want %s: %+v", ws, v.State, want, v)
	}
	return v
}

// markStale records that the holder is given up on.
func (s *service) markStale(t *testing.T, ws string) {
	t.Helper()
	if _, err := s.MarkStale(t.Context(), client.Hold{Workspace: ws, LockID: s.lock(t, ws).LockID}, "its machine is gone"); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request and gives the status and the body of the answer.
func (s *service) ask(t *testing.T, method, path string, body []byte, header ...string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// state gives the current state as it is stored, nil where there is none.
func (s *service) state(t *testing.T, ws string) []byte {
	t.Helper()
	status, body := s.ask(t, "GET", "/v1/tf/"+ws, nil)
	switch status {
	case http.StatusOK:
		return body
	case http.StatusNotFound:
		return nil
	}
	t.Fatalf("the state of %s: %d %s", ws, status, body)
	return nil
}

// versions lists the versions of a workspace's state, the newest first.
func (s *service) versions(t *testing.T, ws string) []lockapi.Version {
	t.Helper()
	status, body := s.ask(t, "GET", "/v1/versions/"+ws, nil)
	var list struct{ Versions []lockapi.Version }
	if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK {
		t.Fatalf("the versions of %s: %d %s", ws, status, body)
	}
	return list.Versions
}

// tfstate is what the stories look at of a state.
type tfstate struct {
	Serial    int64
	Lineage   string
	Resources []struct {
		Name      string
		Instances []instance
	}
}

// instance is a thing in a state.
type instance struct {
	IndexKey   any `json:"index_key"`
	Attributes map[string]any
}

// input is what a terraform_data was given.
func (i instance) input() any {
	dynamic, _ := i.Attributes["input"].(map[string]any)
	return dynamic["value"]
}

func readState(t *testing.T, body []byte) (s tfstate) {
	t.Helper()
	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatalf("%v in the state %.200s", err, body)
	}
	return s
}
