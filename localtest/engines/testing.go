package engines

import (
	"errors"
	"os"
	"testing"
)

// ForTest runs e until the test ends and returns its URL. Where e is not
// installed, the test is skipped with a message that says so; with the
// environment variable CI set, it fails.
func (e Engine) ForTest(t testing.TB, opt Options) string {
	t.Helper()
	s, err := e.Start(t.Context(), opt)
	if _, missing := errors.AsType[*NotInstalledError](err); missing && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s.URL
}
