package ddbstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
)

// A version that is not kept any more stays for a day, whole, for those who are
// reading it.
func TestPrunedVersionStaysForADay(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, KeepVersions: 1, Now: func() time.Time { return clock }})
	writeState(t, s, "prod", "", noise(t, 800<<10))
	first := append(db.Sorts(t, "prod", "version#"), db.Sorts(t, "prod", "chunk#")...)
	if len(first) < 3 {
		t.Fatalf("a version in one part is too small: %v", first)
	}
	clock = clock.Add(time.Hour)
	for serial := 1; serial <= 3; serial++ {
		writeState(t, s, "prod", "", plain(serial, ""))
	}
	for _, sk := range first {
		got, ok := db.Item(t, "prod", sk)["expires_at"].(*types.AttributeValueMemberN)
		if want := fmt.Sprint(clock.Unix() + 24*60*60); !ok || got.Value != want {
			t.Errorf("%s: expires at %+v, want %s", sk, got, want)
		}
	}
}

// An upload that may be under way is not looked at.
func TestTidyLooksAtNoYoungUpload(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	writeState(t, s, "prod", "no-such-hold", plain(1, ""))
	clock = clock.Add(59 * time.Minute)
	if got := tidied(t, s); got.Dropped != 0 || got.Left != 0 {
		t.Errorf("%+v", got)
	}
}
