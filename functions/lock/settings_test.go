package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
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

// TestTopic: the function tells the topic of its setting.
func TestTopic(t *testing.T) {
	t.Parallel()
	const topic = "arn:aws:sns:eu-central-1:111122223333:locks"
	var mu sync.Mutex
	var told []string
	sns := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.FormValue("Action")+" "+r.FormValue("TopicArn")+" "+r.FormValue("Subject"))
		io.WriteString(w, `<PublishResponse><PublishResult><MessageId>1</MessageId></PublishResult></PublishResponse>`) //nolint:errcheck // the function would tell
	}))
	t.Cleanup(sns.Close)
	db, endpoint := database(t)
	f := run(t, 1, "STATELOCK_TOPIC="+topic, "STATELOCK_TABLE="+db.Table, endpoint, "AWS_ENDPOINT_URL_SNS="+sns.URL)
	event := bytes.ReplaceAll(recorded(t, "stream_release.json"), []byte("release_lock/"), []byte("force_unlock/"))
	if answer := invoke(t, f, event); len(answer["batchItemFailures"].([]any)) > 0 {
		t.Errorf("%v", answer)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"Publish " + topic + " statelock: force-unlocked: prod"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
