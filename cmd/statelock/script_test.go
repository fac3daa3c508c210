package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata, each with a service of its own:
//
//	STATELOCK_URL   the service, which asks nobody for credentials
//	AUTH_URL        the same behind a check of credentials
//	TABLE_URL       the DynamoDB with its table, locks
//
// Beside testscript's own there are these commands:
//
//	exits CODE COMMAND…    runs a command that must end with the code
//	awaits FILE PATTERN    waits until a line of the file matches
//	posts PATH FILE        sends the service a file, as Terraform does
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			s := newService(t)
			e.Setenv("STATELOCK_URL", s.url)
			e.Setenv("AUTH_URL", serverFor(t, checked(s)).URL)
			e.Setenv("TABLE_URL", serverFor(t, s.engine).URL)
			e.Setenv("NO_COLOR", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "awaits": awaits, "posts": posts},
	})
}

// checked lets in who has one of the credentials of testdata/service.txtar. Of
// a signature it wants to see that there is one.
func checked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization := r.Header.Get("Authorization")
		user, password, _ := r.BasicAuth()
		signed := strings.HasPrefix(authorization, "AWS4-HMAC-SHA256 Credential=AKID/") && strings.Contains(authorization, "/eu-west-1/execute-api/")
		if authorization != "Bearer secret" && user+password != "janesecret" && !signed {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func serverFor(t *testing.T, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s; said %s%s", code, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: awaits FILE PATTERN")
	}
	pattern := regexp.MustCompile("(?m)" + args[1])
	var text []byte
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if text, _ = os.ReadFile(ts.MkAbs(args[0])); pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("nothing matches %s in\n%s", args[1], text)
}

func posts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: posts PATH FILE")
	}
	resp, err := http.Post(ts.Getenv("STATELOCK_URL")+args[0], "application/json", strings.NewReader(ts.ReadFile(args[1]))) //nolint:noctx // testscript has none
	if err != nil {
		ts.Fatalf("%v", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("POST %s: %s", args[0], resp.Status)
	}
}
