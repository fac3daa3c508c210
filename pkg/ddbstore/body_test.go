package ddbstore_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// A late copy of an upload's request changes nothing.
func TestLateCopyOfAnUpload(t *testing.T) {
	t.Parallel()
	rec := &recorder{}
	db := testdb.Open(t, rec.between)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	writeState(t, s, "prod", "", plain(1, ""))
	before := map[string]any{}
	for _, sk := range db.Sorts(t, "prod", "") {
		before[sk] = db.Item(t, "prod", sk)
	}
	copies := 0
	for n, body := range rec.seen {
		if strings.Contains(body, `"S":"version#`) && strings.Contains(body, "at_ms") || strings.Contains(body, `"S":"chunk#`) {
			rec.put(t, n)
			copies++
		}
	}
	for _, sk := range db.Sorts(t, "prod", "") {
		if after := db.Item(t, "prod", sk); !reflect.DeepEqual(any(after), before[sk]) {
			t.Errorf("%s was %v, is %v", sk, before[sk], after)
		}
	}
	if copies != 2 {
		t.Errorf("%d copies", copies)
	}
}

func TestStatesOfEverySize(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	hold := request(lockmodel.Acquire, "prod")
	do(t, s, hold)
	for _, body := range [][]byte{
		[]byte("0123456789"),
		plain(1, strings.Repeat("x", 400<<10)),
		noise(t, 400<<10),
		noise(t, 5<<20), // 14 items, more than a page of DynamoDB's
	} {
		out := writeState(t, s, "prod", hold.LockID, body)
		if err := out.Err(); err != nil {
			t.Fatal(err)
		}
		if out.Lock.Size != int64(len(body)) {
			t.Errorf("size %d of %d bytes", out.Lock.Size, len(body))
		}
		wantState(t, s, "prod", body)
	}
}

// A part that is missing or changed is an error, and not an absent state.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testdb.DB, string){
		"missing": func(db *testdb.DB, sk string) { db.Remove(t, "prod", sk) },
		"changed": func(db *testdb.DB, sk string) {
			db.SetItem(t, "prod", sk, map[string]any{"body": []byte("not what was written")})
		},
	} {
		db, s := open(t)
		writeState(t, s, "prod", "", noise(t, 500<<10))
		chunks := db.Sorts(t, "prod", "chunk#")
		if len(chunks) != 2 {
			t.Fatalf("chunks: %v", chunks)
		}
		damage(db, chunks[1])
		_, err := s.State(t.Context(), "prod")
		if !errors.Is(err, ddbstore.ErrStateDamaged) || errors.Is(err, ddbstore.ErrNoState) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
