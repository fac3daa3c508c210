package e2e

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// The answer to a LOCK, a POST or an UNLOCK is lost on its way to the client,
// once each and then all of them: the run ends well, with one write, and the
// lock is free. https://github.com/opentofu/opentofu/issues/4405
// https://github.com/hashicorp/terraform/issues/29724
func TestLostAnswers(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		for _, lost := range []string{"lock", "post", "unlock", "lock post unlock"} {
			t.Run(lost, func(t *testing.T) {
				t.Parallel()
				s := serve(t)
				net := newProxy(t, s.url, tfOperation)
				p := k.project(t, net.url, "prod", things)
				for name := range strings.FieldsSeq(lost) {
					net.next(name, loseReply)
				}
				p.apply(t, "one").works(t)
				wholeRun(t, s, net)
			})
		}
	})
}

// The same between the service and its database.
func TestLostAnswersOfTheDatabase(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		for _, lost := range []string{"take", "upload", "point", "end", "take upload point end"} {
			t.Run(lost, func(t *testing.T) {
				t.Parallel()
				database := httptest.NewServer(engine.New())
				t.Cleanup(database.Close)
				net := newProxy(t, database.URL, databaseWrite)
				s := serve(t, "--endpoint="+net.url, "--table=locks", "--create-table")
				p := k.project(t, s.url, "prod", things)
				for name := range strings.FieldsSeq(lost) {
					net.next(name, loseReply)
				}
				p.apply(t, "one").works(t)
				wholeRun(t, s, net)
			})
		}
	})
}

// databaseWrite names what the service writes by what only that writes.
func databaseWrite(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "unreadable"
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for name, sign := range map[string]string{
		"take": "acquired_at = :now", "point": "written_by = :req", "end": "spent = lock_id", "upload": `"S":"chunk#`,
	} {
		if bytes.Contains(body, []byte(sign)) && !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
			return name
		}
	}
	return "other"
}

// wholeRun is what one apply leaves, whatever went wrong on the way.
func wholeRun(t *testing.T, s *service, net *proxy) {
	t.Helper()
	if err := net.spent(); err != nil {
		t.Error(err)
	}
	if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != 1 {
		t.Errorf("fence %d", v.Fence)
	}
	if got := serials(t, s, "prod"); len(got) != 1 {
		t.Errorf("serials %v", got)
	}
	if state := readState(t, s.state(t, "prod")); len(state.Resources) != 1 {
		t.Errorf("the state is %+v", state)
	}
}

// What couldn't be stored is kept by the client, and pushed afterwards.
// https://github.com/hashicorp/terraform/issues/24294
func TestPushErroredState(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		net := newProxy(t, s.url, tfOperation)
		p := k.project(t, net.url, "prod", things)
		p.apply(t, "one").works(t)
		net.all("post", answer(http.StatusForbidden))
		p.apply(t, "two").fails(t, "errored.tfstate")
		net.all("post", nil)
		s.is(t, "prod", lockmodel.Unlocked)
		if got := string(s.state(t, "prod")); !strings.Contains(got, `"one"`) {
			t.Errorf("the state is\n%s", got)
		}
		p.run(t, "state", "push", "errored.tfstate").works(t)
		if heard := p.apply(t, "two").works(t); !strings.Contains(heard, "No changes") {
			t.Errorf("after the push an apply said\n%s", heard)
		}
		s.is(t, "prod", lockmodel.Unlocked)
	})
}

// An upload that is cut off changes nothing; the client's next try is whole.
func TestCutUpload(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		net := newProxy(t, s.url, tfOperation)
		p := k.project(t, net.url, "prod", things)
		p.apply(t, "one").works(t)
		before := s.state(t, "prod")
		cut := make(chan struct{})
		seen := make(chan struct{})
		net.next("post", func(w http.ResponseWriter, r *http.Request, deliver func() *httptest.ResponseRecorder) {
			defer func() {
				if !bytes.Equal(s.state(t, "prod"), before) {
					t.Error("half an upload changed the state")
				}
				close(seen)
				panic(http.ErrAbortHandler)
			}()
			net.cutUpload(t, cut)(w, r, deliver)
		})
		p.apply(t, "two").works(t)
		<-cut
		<-seen
		if got := serials(t, s, "prod"); len(got) != 2 {
			t.Errorf("serials %v", got)
		}
		s.is(t, "prod", lockmodel.Unlocked)
	})
}

// A state that was changed on its way is refused.
func TestWrongDigest(t *testing.T) {
	t.Parallel()
	s := serve(t)
	state := []byte(`{"version":4,"serial":1,"lineage":"l"}`)
	sum := md5.Sum(state)
	digest := base64.StdEncoding.EncodeToString(sum[:])
	if status, _ := s.ask(t, "POST", "/v1/tf/prod", state, "Content-MD5", digest); status != http.StatusOK {
		t.Errorf("the state: %d", status)
	}
	changed := bytes.Replace(state, []byte("1"), []byte("2"), 1)
	if status, body := s.ask(t, "POST", "/v1/tf/prod", changed, "Content-MD5", digest); status != http.StatusBadRequest || !bytes.Contains(body, []byte("Content-MD5")) {
		t.Errorf("another state under its digest: %d %s", status, body)
	}
	if got := s.state(t, "prod"); !bytes.Equal(got, state) {
		t.Errorf("the state is %s", got)
	}
}
