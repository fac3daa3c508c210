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

// The server, with its database in it, is killed.
func TestKillServer(t *testing.T) {
	t.Parallel()
	dir := binaries(t, "github.com/statelock/statelock/cmd/statelock")
	server := start(t, filepath.Join(dir, "statelock"), "serve", "--listen=127.0.0.1:0", "--data="+filepath.Join(t.TempDir(), "data"))
	torn(t, server, server)
}

// The server and the database are processes of their own, and either is killed.
// There are faults between the two as well, save those by which a write arrives
// late: the clocks' allowance is as long as this test.
func TestKillServerAndDatabase(t *testing.T) {
	t.Parallel()
	dir := binaries(t, "github.com/statelock/statelock/cmd/statelock", "github.com/statelock/statelock/localtest/cmd/engine")
	database := start(t, filepath.Join(dir, "engine"), "--listen=127.0.0.1:0", "--data="+filepath.Join(t.TempDir(), "tables.db"))
	bad := faults.New(database.transport(), faults.Options{
		Seed: killSeed, Hop: "to the database", Replies: faults.DynamoDB,
		Rates: faults.Rates{}.With(0.1, faults.LoseRequest, faults.LoseReply, faults.Reset, faults.ServerError, faults.Throttle),
	})
	between := httptest.NewServer(&httputil.ReverseProxy{
		Transport: bad,
		Rewrite: func(r *httputil.ProxyRequest) {
			// A request whose sender is killed arrives all the same.
			r.Out = r.Out.WithContext(context.WithoutCancel(r.Out.Context()))
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "database.invalid"
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	t.Cleanup(between.Close)
	server := start(t, filepath.Join(dir, "statelock"), "serve", "--listen=127.0.0.1:0", "--create-table", "--endpoint="+between.URL)
	torn(t, server, server, database)
	for kind, n := range bad.Counts() {
		t.Logf("to the database: %d %s", n, kind)
	}
}

// torn lets clients use the server while victims are killed, and checks what
// they were told.
func torn(t *testing.T, server *process, victims ...*process) {
	t.Helper()
	passing := make(chan struct{})
	reach := server.transport()
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
	for _, v := range append(history.Check(all, history.Options{Skew: ddbstore.DefaultClockSkew}), history.Direct(all)...) {
		t.Error(v)
	}
	if kills < killed {
		t.Errorf("only %d kills", kills)
	}
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
