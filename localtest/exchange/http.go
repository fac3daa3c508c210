package exchange

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Do performs a step over HTTP against the service at base.
func Do(ctx context.Context, t *testing.T, client *http.Client, base, op, ws, runner string) (status int, answer map[string]any) {
	t.Helper()
	method, path, body := http.MethodGet, "/v1/locks/"+ws, ""
	if op != "lock_state" {
		o, err := lockmodel.ParseOp(op)
		if err != nil {
			t.Fatal(err)
		}
		doc := map[string]string{"ws": ws}
		if runner != "" {
			doc["runner"] = runner
		}
		encoded, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		method, path, body = http.MethodPost, lockapi.Path(o), string(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("%s %s: %d: %v", method, path, resp.StatusCode, err)
	}
	return resp.StatusCode, answer
}
