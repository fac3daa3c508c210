package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// TestTerraformThroughTheGateway speaks backend "http" to the binary, by the
// routes that API Gateway can have, with a token.
func TestTerraformThroughTheGateway(t *testing.T) {
	t.Parallel()
	f, db := deploy(t, 1)
	url := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke})
	token, secret := auth.Mint(auth.Token{
		Name: "ci", CreatedAt: time.Now(),
		Grant: auth.Grant{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"team/**"}},
	})
	tokens := &ddbstore.Tokens{Client: db.Client, Table: db.Table}
	if err := tokens.Create(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	send := func(want int, method, path string, body []byte, headers ...string) string {
		t.Helper()
		return sendTo(t, url, secret, want, method, path, body, headers...)
	}
	info := []byte(`{"ID":"id-a","Operation":"OperationTypeApply","Info":"","Who":"ann@laptop","Version":"1.11.4","Created":"2026-11-30T10:00:00Z","Path":""}`)
	const state, lock = "/v1/tf/team/prod", "/v1/tf-lock/team/prod"

	sendTo(t, url, "", 401, "POST", lock, info)
	send(403, "POST", "/v1/tf-lock/other", info)
	send(404, "GET", state, nil)
	send(200, "POST", lock, info)
	if got := send(423, "POST", lock, bytes.ReplaceAll(info, []byte("id-a"), []byte("id-b"))); !strings.Contains(got, `"ID":"id-a"`) {
		t.Errorf("conflict %s", got)
	}
	for _, body := range [][]byte{
		[]byte("0123456789"),
		bytes.Repeat([]byte("compressible "), 400_000), // over 5 MB
		encrypted(t, 4<<20),
	} {
		send(200, "POST", state+"?ID=id-a", body)
		for _, accepts := range []string{"identity", "gzip"} {
			// Go's client decompresses where it has asked by itself.
			var headers []string
			if accepts == "identity" {
				headers = []string{"Accept-Encoding: identity"}
			}
			if got := send(200, "GET", state, nil, headers...); got != string(body) {
				t.Errorf("%s: %d bytes came back of %d", accepts, len(got), len(body))
			}
		}
	}
	send(413, "POST", state+"?ID=id-a", encrypted(t, 7<<20))
	send(409, "POST", state, []byte("without a lock"))
	send(403, "DELETE", lock, nil) // a force-unlock
	send(200, "DELETE", lock, info)
	send(200, "DELETE", lock, info)
	send(404, "LOCK", "/v1/tf/team/prod", info) // has no route there
}

// encrypted is a state that compression makes little smaller.
func encrypted(t *testing.T, size int) []byte {
	t.Helper()
	raw := make([]byte, size/2)
	if _, err := io.ReadFull(rand.Reader, raw); err != nil {
		t.Fatal(err)
	}
	return []byte(hex.EncodeToString(raw))
}

func sendTo(t *testing.T, url, password string, want int, method, path string, body []byte, headers ...string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	if password != "" {
		r.SetBasicAuth("ci", password)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != want {
		t.Errorf("%s %s: %d %.200s, want %d", method, path, resp.StatusCode, answer, want)
	}
	return string(answer)
}

// TestAnswerTooLarge: what Lambda would not pass on is refused with the limit
// named, not lost as an error of the function's.
func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	h, _ := newTest(fakeService{serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Write(bytes.Repeat([]byte("x"), maxAnswer)) //nolint:errcheck // to memory
	}})
	answer, err := h.Invoke(context.Background(), recorded(t, "http_api_v2_acquire.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := decode(t, answer); got["statusCode"] != 413.0 || !strings.Contains(got["body"].(string), "6 MB") {
		t.Errorf("%.300s", answer)
	}
}
