package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/faults"
	"github.com/statelock/statelock/localtest/history"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// How much a test with processes that are killed does.
const (
	killed       = 5 // times, at least
	killRequests = 800
	killClients  = 8
	killSeed     = 1
)

// Processes are killed under load, and started again with what they left:
// nothing that was acknowledged is lost, and no lock has two believers.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := binaries(t, "github.com/statelock/statelock/cmd/statelock", "github.com/statelock/statelock/localtest/cmd/engine")
	serve := func(t *testing.T, args ...string) *process {
		return start(t, append([]string{filepath.Join(dir, "statelock"), "serve", "--listen=127.0.0.1:0"}, args...)...)
	}
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		server := serve(t, "--data="+filepath.Join(t.TempDir(), "data"))
		clean(t, torn(t, server, server))
	})
	// The server and the database are processes of their own, and either is
	// killed. There are faults between the two as well, save those by which a
	// write arrives late: the clocks' allowance is too long for these.
	t.Run("server and database", func(t *testing.T) {
		t.Parallel()
		database := start(t, filepath.Join(dir, "engine"), "--listen=127.0.0.1:0", "--data="+filepath.Join(t.TempDir(), "tables.db"))
		bad := faults.New(database.transport(false), faults.Options{
			Seed: killSeed, Hop: "to the database", Replies: faults.DynamoDB,
			Rates: faults.Rates{}.With(0.1, faults.LoseRequest, faults.LoseReply, faults.Reset, faults.ServerError, faults.Throttle),
		})
		server := serve(t, "--create-table", "--endpoint="+front(t, bad))
		clean(t, torn(t, server, server, database))
		t.Logf("faults to the database %v", bad.Counts())
	})
	// That nothing is lost is a finding: where a server keeps its locks in
	// memory, the loss shows.
	t.Run("forgetful server", func(t *testing.T) {
		t.Parallel()
		server := serve(t, "--memory")
		found := torn(t, server, server)
		if len(found) == 0 {
			t.Fatal("nobody noticed that the server forgot everything")
		}
		t.Logf("%d violations, the first: %s", len(found), found[0])
	})
}

// front gives the URL of a server that passes requests on through the
// transport. A request whose sender is killed arrives all the same, and one that
// gets no reply breaks the connection.
func front(t *testing.T, through http.RoundTripper) string {
	t.Helper()
	s := httptest.NewServer(&httputil.ReverseProxy{
		Transport: through,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out = r.Out.WithContext(context.WithoutCancel(r.Out.Context()))
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "database.invalid"
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	t.Cleanup(s.Close)
	return s.URL
}

func clean(t *testing.T, found []history.Violation) {
	t.Helper()
	for _, v := range found {
		t.Error(v)
	}
}

// torn lets clients use the server while victims are killed, and gives what is
// wrong with what they were told.
func torn(t *testing.T, server *process, victims ...*process) []history.Violation {
	t.Helper()
	passing := make(chan struct{})
	reach := server.transport(true)
	bad := faults.New(roundTrip(func(r *http.Request) (*http.Response, error) {
		select {
		case passing <- struct{}{}:
		default:
		}
		return reach.RoundTrip(r)
	}), faults.Options{Seed: killSeed, Hop: "to the service", Rates: faults.Even(0.1), Replies: faults.Gateway})
	s := &system{
		url:        func(context.Context) (string, error) { return "http://service.invalid", nil },
		http:       &http.Client{Transport: bad},
		recorder:   history.NewRecorder(time.Now),
		deliveries: func(*faults.Trip) int { return 2 }, // SDK and http.Transport may try again
		opaque:     len(victims) > 1,
	}
	bad.Copied = s.copied
	var workspaces []string
	for n := range 6 {
		workspaces = append(workspaces, fmt.Sprintf("ws-%d", n))
	}

	var clients sync.WaitGroup
	for n := range killClients {
		c := newClient(s, killSeed, n, workspaces)
		clients.Go(func() {
			if err := c.run(t.Context(), killRequests/killClients); err != nil {
				t.Error(err)
			}
		})
	}
	over := make(chan struct{})
	go func() { clients.Wait(); close(over) }()
	kills := killAtRandom(passing, over, victims)
	bad.Settle()
	s.recorder.SettleAll()

	c := newClient(s, killSeed, killClients, workspaces)
	bad.Rates = nil
	for _, ws := range workspaces {
		if err := c.look(t.Context(), ws); err != nil {
			t.Error(err)
		}
	}
	all := s.recorder.Calls()
	t.Logf("%d calls, %d of them without an answer, %d kills; faults %v", len(all), untold(all), kills, bad.Counts())
	if kills < killed {
		t.Errorf("only %d kills", kills)
	}
	return append(history.Check(all, history.Options{Skew: ddbstore.DefaultClockSkew}), history.Direct(all)...)
}

// killAtRandom kills one of the victims while a request passes, after every few,
// and starts it again, until over.
func killAtRandom(passing <-chan struct{}, over <-chan struct{}, victims []*process) (kills int) {
	random := rand.New(rand.NewPCG(killSeed, 0))
	for {
		for range 10 + random.IntN(50) {
			select {
			case <-passing:
			case <-over:
				return kills
			}
		}
		victim := victims[random.IntN(len(victims))]
		victim.kill()
		victim.again()
		kills++
	}
}

func untold(calls []history.Call) int {
	n := 0
	for _, c := range calls {
		if !c.Told {
			n++
		}
	}
	return n
}
