package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/localtest/testdb"
)

// The binary is built once, as it is deployed but for the architecture, by the
// first test that needs it.
var (
	binaryDir string
	binary    = sync.OnceValues(func() (string, error) {
		path := filepath.Join(binaryDir, "bootstrap")
		build := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-o", path, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return path, nil
	})
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if binaryDir, err = os.MkdirTemp("", "statelock-lock-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(binaryDir)
		return m.Run()
	}())
}

// run starts the function with that configuration.
func run(t *testing.T, processes int, env ...string) *lambdaruntime.Function {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, path, processes, env...)
}

// start starts a bootstrap with that configuration.
func start(t *testing.T, path string, processes int, env ...string) *lambdaruntime.Function {
	t.Helper()
	f, err := lambdaruntime.Start(lambdaruntime.Options{
		Bootstrap: path,
		Name:      "lock",
		Processes: processes,
		Timeout:   30 * time.Second,
		Env:       append(env, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		if t.Failed() {
			t.Log("the function's log:\n" + f.Logs())
		}
	})
	return f
}

// deploy starts the function with a table of its own. Its requests to DynamoDB
// go through between.
func deploy(t *testing.T, processes int, between ...func(http.RoundTripper) http.RoundTripper) (*lambdaruntime.Function, *testdb.DB) {
	t.Helper()
	db, endpoint := database(t, between...)
	return run(t, processes, "STATELOCK_TABLE="+db.Table, endpoint), db
}

// database opens a table, and gives the variable that has another process find it.
func database(t *testing.T, between ...func(http.RoundTripper) http.RoundTripper) (db *testdb.DB, endpoint string) {
	t.Helper()
	db = testdb.Open(t, between...)
	return db, "AWS_ENDPOINT_URL_DYNAMODB=" + db.Serve(t)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// serve puts a gateway before the function and returns the URL of its stage.
func serve(t *testing.T, g *lambdaruntime.Gateway) string {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	if g.Stage != "" {
		return server.URL + "/" + g.Stage
	}
	return server.URL
}

// TestLinked: nothing of the workbench is part of what is deployed, where every
// package makes the archive larger and the start longer.
func TestLinked(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "lambda.norpc", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, "github.com/statelock/statelock/pkg/lockapi") {
		t.Fatalf("%d packages, and not lockapi", len(linked))
	}
	for _, unwanted := range []string{
		"statelock/localtest", "statelock/cmd", "statelock/tools", "spf13/cobra", "go.etcd.io/bbolt", "cockroachdb/apd",
		"tidwall/btree", "hashicorp/", "zclconf/", "goccy/", "net/rpc", "testing",
	} {
		for _, path := range linked {
			if path == unwanted || strings.Contains(path, unwanted) && strings.Contains(unwanted, "/") {
				t.Errorf("%s is linked", path)
			}
		}
	}
}
