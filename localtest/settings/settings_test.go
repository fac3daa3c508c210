package settings

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// Where nothing is set, the last request of each case is answered otherwise, and
// it alone: a setting that isn't passed on can't go unseen.
func TestDefaultsAnswerOtherwise(t *testing.T) {
	t.Parallel()
	for _, c := range Cases() {
		db := testdb.Open(t)
		store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, ClockSkew: ddbstore.DefaultClockSkew})
		service := httptest.NewServer(lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)}))
		defer service.Close()
		usual := c
		usual.Steps = c.Steps[:len(c.Steps)-1]
		if wrong := usual.try(t, service.URL, "", db); len(wrong) > 0 {
			t.Errorf("%s: %q", c.Name, wrong)
		}
		usual.Steps = c.Steps[len(c.Steps)-1:]
		if wrong := usual.try(t, service.URL, "", db); len(wrong) != 1 {
			t.Errorf("%s: the default does the same", c.Name)
		}
	}
}
