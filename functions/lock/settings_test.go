package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/lambdaruntime"
	"github.com/statelock/statelock/localtest/settings"
	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/auth"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// TestSettings: each variable does to the binary what it says.
func TestSettings(t *testing.T) {
	t.Parallel()
	settings.Run(t, func(t *testing.T, c settings.Case, db *testdb.DB) (url, password string) {
		t.Helper()
		token, password := auth.Mint(auth.Token{
			Name: "ci", CreatedAt: time.Now(),
			Grant: auth.Grant{Permissions: auth.DefaultPermissions(), Workspaces: []auth.Pattern{"**"}},
		})
		if err := (&ddbstore.Tokens{Client: db.Client, Table: db.Table}).Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		f := run(t, 1, c.Variable(), "STATELOCK_TABLE="+db.Table, "AWS_ENDPOINT_URL_DYNAMODB="+db.Serve(t))
		return serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke}), password
	})
}

// TestKeepHistory: a record expires when the function's setting says.
func TestKeepHistory(t *testing.T) {
	t.Parallel()
	db, endpoint := database(t)
	invoke(t, run(t, 1, "STATELOCK_KEEP_HISTORY=1h", "STATELOCK_TABLE="+db.Table, endpoint), recorded(t, "stream_release.json"))
	events := db.Sorts(t, "prod", "event#")
	if len(events) != 1 {
		t.Fatalf("records: %v", events)
	}
	const at = 1_800_000_060 // of the event, in seconds
	if got, ok := db.Item(t, "prod", events[0])["expires_at"].(*types.AttributeValueMemberN); !ok || got.Value != fmt.Sprint(at+3600) {
		t.Errorf("expires_at %+v", got)
	}
}
