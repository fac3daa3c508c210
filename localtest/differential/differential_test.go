package differential

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/statelock/statelock/localtest/engine"
	"github.com/statelock/statelock/localtest/engines"
	"github.com/statelock/statelock/localtest/testdb"
)

var (
	seed  = flag.Uint64("seed", 1, "where the generated cases begin")
	cases = flag.Int("cases", 250, "how many there are of each family and database")
)

// What each engine can do of what is generated.
var can = map[string][]string{
	"dynalite": {"write", "query"},
	"dynoxide": {"write", "query", "transact", "ttl"},
	"moto":     {"write", "query", "transact", "ttl"},
}

func TestEmbeddedAgreesWith(t *testing.T) {
	t.Parallel()
	for _, e := range engines.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			compare(t, start(t, e), can[e.Name])
		})
	}
}

// With a server that the user names, for example DynamoDB Local.
func TestEmbeddedAgreesWithEndpoint(t *testing.T) {
	t.Parallel()
	endpoint := os.Getenv(testdb.EndpointVariable)
	if endpoint == "" {
		t.Skipf("%s names no server to compare with", testdb.EndpointVariable)
	}
	compare(t, &Database{Name: "endpoint", URL: endpoint, Client: client(t)}, []string{"write", "query", "transact", "ttl"})
}

// start runs an engine, and again where a request made it end.
func start(t *testing.T, e engines.Engine) *Database {
	running, err := e.Start(t.Context(), engines.Options{})
	if _, missing := errors.AsType[*engines.NotInstalledError](err); missing && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	stop := func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() { stop() })
	revive := func(ctx context.Context) (string, error) {
		stop()
		again, err := e.Start(ctx, engines.Options{})
		if err != nil {
			return "", err
		}
		running = again
		return running.URL, nil
	}
	return &Database{Name: e.Name, URL: running.URL, Client: client(t), Revive: revive}
}

func client(t *testing.T) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func embedded() *Database {
	return &Database{Name: "embedded", URL: "http://embedded.invalid", Client: engine.HTTPClient(engine.New())}
}

func compare(t *testing.T, theirs *Database, families []string) {
	t.Helper()
	report, err := Run(t.Context(), embedded(), theirs, Options{Seed: *seed, Cases: *cases, Families: families})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d: %s", *seed, report)
	for _, stale := range report.Stale {
		t.Errorf("a known difference does not show any more: %s", stale)
	}
	for _, f := range report.Unexplained {
		t.Errorf("%s case %d of seed %d (%d like it):\n%s", f.Family, f.Number, *seed, f.Times, f.Disagreement)
	}
}
