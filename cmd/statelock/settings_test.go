package main

import (
	"testing"

	"github.com/statelock/statelock/localtest/settings"
	"github.com/statelock/statelock/localtest/testdb"
)

// Each flag does to the server what it says.
func TestSettings(t *testing.T) {
	t.Parallel()
	settings.Run(t, func(t *testing.T, c settings.Case, db *testdb.DB) (url, password string) {
		t.Helper()
		return serve(t, c.Flag(), "--endpoint="+db.Serve(t), "--table="+db.Table).url, ""
	})
}
