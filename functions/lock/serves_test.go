package main

import (
	"path/filepath"
	"testing"
)

// TestServes: of the recorded events, each deployment takes those of its duty
// and no other, and says so where it refuses. The service isn't asked: the fake
// would panic.
func TestServes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d recorded events (%v)", len(files), err)
	}
	for d := range duties {
		served := 0
		for _, file := range files {
			event := recorded(t, filepath.Base(file))
			if d.serves(kindOf(event)) {
				served++
				continue
			}
			h, _ := newTest(fakeService{})
			h.serves = d
			answer, err := h.Invoke(t.Context(), event)
			if err != nil {
				t.Fatal(err)
			}
			if got := decode(t, answer); got["ok"] != false || got["code"] != "bad_request" || got["reason"] != d.accepted() {
				t.Errorf("%s: %s: %s", d, file, answer)
			}
		}
		if served == 0 || served == len(files) {
			t.Errorf("%s serves %d of %d recorded events", d, served, len(files))
		}
	}
	for k := kindCommand; int(k) < len(kindNames); k++ {
		takers := 0
		for d := range duties {
			if d.serves(k) {
				takers++
			}
		}
		if takers != 1 {
			t.Errorf("%s events are served by %d duties, want 1", k, takers)
		}
	}
}
