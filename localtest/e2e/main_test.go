package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is a folder for what all tests use.
var scratch string

func TestMain(m *testing.M) {
	// Most tests wait for a client's pause to end, and use no processor meanwhile.
	flag.Set("test.parallel", "8") //nolint:errcheck // there is such a flag
	var err error
	if scratch, err = os.MkdirTemp("", "statelock-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// buildStatelock builds the command once.
var buildStatelock = sync.OnceValues(func() (string, error) {
	program := filepath.Join(scratch, "statelock")
	out, err := exec.Command("go", "build", "-o", program, "github.com/statelock/statelock/cmd/statelock").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

// statelock gives the path of the command.
func statelock(t *testing.T) string {
	t.Helper()
	program, err := buildStatelock()
	if err != nil {
		t.Fatalf("build statelock: %v", err)
	}
	return program
}
