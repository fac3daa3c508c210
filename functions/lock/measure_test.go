package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
	"github.com/statelock/statelock/pkg/metrics"
)

// measurements reads documents of the embedded metric format, as
// "Metric dimension=value …" each with its values.
func measurements(t *testing.T, log string) map[string][]float64 {
	t.Helper()
	got := map[string][]float64{}
	for line := range strings.Lines(log) {
		var doc map[string]any
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		aws, ok := doc["_aws"].(map[string]any)
		if !ok {
			continue
		}
		d := aws["CloudWatchMetrics"].([]any)[0].(map[string]any)
		if d["Namespace"] != namespace {
			t.Errorf("namespace %v", d["Namespace"])
		}
		var dimensions []string
		for _, name := range d["Dimensions"].([]any)[0].([]any) {
			if name != "Table" {
				dimensions = append(dimensions, fmt.Sprintf(" %s=%v", name, doc[name.(string)]))
			}
		}
		slices.Sort(dimensions)
		for _, m := range d["Metrics"].([]any) {
			name := m.(map[string]any)["Name"].(string)
			key := name + strings.Join(dimensions, "")
			switch v := doc[name].(type) {
			case float64:
				got[key] = append(got[key], v)
			case []any:
				for _, value := range v {
					got[key] = append(got[key], value.(float64))
				}
			}
		}
	}
	return got
}

// TestMeasures: the story of a lock, as the deployed function measures it.
func TestMeasures(t *testing.T) {
	t.Parallel()
	var throttled atomic.Bool
	f, db := deploy(t, 1, func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			if throttled.CompareAndSwap(true, false) {
				const body = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}`
				w := httptest.NewRecorder()
				w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
				w.WriteHeader(http.StatusBadRequest)
				_, err := w.WriteString(body)
				return w.Result(), err
			}
			return next.RoundTrip(r)
		})
	})
	for _, doc := range []string{
		`{"op":"acquire","ws":"prod","runner":"secret-runner","lock_id":"id-a"}`,
		`{"op":"acquire","ws":"prod","runner":"b"}`,
		`{"op":"mark_stale","ws":"prod"}`,
		`{"op":"release_lock","ws":"prod","lock_id":"id-b"}`,
	} {
		invoke(t, f, []byte(doc))
	}
	invoke(t, f, recorded(t, "schedule_sweep.json"))
	throttled.Store(true)
	invoke(t, f, []byte(`{"op":"force_unlock","ws":"prod"}`))
	f.Close()
	got := measurements(t, f.Logs())
	for key, want := range map[string]int{
		"Transitions Answer=done Operation=acquire":            1,
		"Transitions Answer=held Operation=acquire":            1,
		"Transitions Answer=done Operation=mark_stale":         1,
		"Transitions Answer=not_holder Operation=release_lock": 1,
		"Transitions Answer=done Operation=force_unlock":       1,
		"Contention": 1, "StaleLocks": 1, "OldestStale": 1, "HeldTime": 1, "StaleTime": 1,
		"DynamoDBLatency Action=UpdateItem": 5,
		"DynamoDBRetries Action=UpdateItem": 1,
		"RefusedStateWrites":                0,
	} {
		if len(got[key]) != want {
			t.Errorf("%s: %v, want %d values", key, got[key], want)
		}
	}
	if !slices.Equal(got["StaleLocks"], []float64{1}) || !slices.Equal(got["DynamoDBRetries Action=UpdateItem"], []float64{1}) {
		t.Errorf("%v", got)
	}
	for line := range strings.Lines(f.Logs()) {
		if strings.Contains(line, `"_aws"`) && (strings.Contains(line, "secret-runner") || !strings.Contains(line, `"Table":"`+db.Table+`"`)) {
			t.Errorf("a measurement: %s", line)
		}
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	lock := func(change func(*lockmodel.Lock)) lockmodel.Lock {
		l := lockmodel.NewLock("prod")
		request := lockmodel.Request{Op: lockmodel.Acquire, Workspace: "prod", ID: "r", LockID: "id-a", Runner: "a", Now: 1_000_000}
		if err := request.Validate(); err != nil {
			t.Fatal(err)
		}
		l = lockmodel.Step(l, request).Lock
		if change != nil {
			change(&l)
		}
		return l
	}
	freed := lockmodel.Step(lock(nil), lockmodel.Request{Op: lockmodel.ReleaseLock, Workspace: "prod", ID: "r2", LockID: "id-a", Now: 1_000_001}).Lock
	for _, test := range []struct {
		name    string
		before  lockmodel.Lock
		request lockmodel.Request
		err     error
		want    map[string][]float64
	}{
		{
			"a state write of another's", lock(nil),
			lockmodel.Request{Op: lockmodel.WriteState, ID: "w", LockID: "id-b", Version: "v", Checksum: "c", Now: 1_000_001},
			nil,
			map[string][]float64{"Transitions Answer=not_holder Operation=write_state": {1}, "RefusedStateWrites": {1}},
		},
		{
			"a release", lock(nil),
			lockmodel.Request{Op: lockmodel.ReleaseLock, ID: "r2", LockID: "id-a", Now: 1_090_500},
			nil,
			map[string][]float64{"Transitions Answer=done Operation=release_lock": {1}, "HeldTime": {90.5}},
		},
		{
			"an acquire of what is held", lock(nil),
			lockmodel.Request{Op: lockmodel.Acquire, ID: "r2", LockID: "id-b", Runner: "b", Now: 1_000_002},
			nil,
			map[string][]float64{"Transitions Answer=held Operation=acquire": {1}, "Contention": {1}},
		},
		{
			"an acquire of what nobody holds, by the id of a hold that ended", freed,
			lockmodel.Request{Op: lockmodel.Acquire, ID: "r3", LockID: "id-a", Runner: "a", Now: 1_000_002},
			nil,
			map[string][]float64{"Transitions Answer=spent Operation=acquire": {1}},
		},
		{
			"no answer", lock(nil),
			lockmodel.Request{Op: lockmodel.ReleaseLock},
			errors.New("throttled"),
			map[string][]float64{"Transitions Answer=error Operation=release_lock": {1}},
		},
	} {
		set := metrics.NewSet()
		out := lockmodel.Outcome{}
		if test.err == nil {
			test.request.Workspace = "prod"
			out = lockmodel.Step(test.before, test.request)
		}
		measure(set, test.request.Op, out, test.err)
		var log bytes.Buffer
		if err := set.Write(&log, metrics.Labels{Namespace: namespace, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, measurements(t, log.String())); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

// TestMeasureStale: all pages count, and the oldest counts.
func TestMeasureStale(t *testing.T) {
	t.Parallel()
	now := time.Now()
	at := func(age time.Duration) lockmodel.Lock {
		return lockmodel.Lock{State: lockmodel.Stale, StaleAt: now.Add(-age).UnixMilli()}
	}
	pages := fakeLocks{{Locks: []lockmodel.Lock{at(time.Minute), at(time.Hour)}}, {Locks: []lockmodel.Lock{at(time.Second)}}}
	set := metrics.NewSet()
	if err := measureStale(t.Context(), set, pages, now); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := set.Write(&log, metrics.Labels{Namespace: namespace, At: now}); err != nil {
		t.Fatal(err)
	}
	got := measurements(t, log.String())
	if got["StaleLocks"][0] != 3 || got["OldestStale"][0] != 3600 {
		t.Errorf("%v", got)
	}

	many := make(fakeLocks, stalePages+1)
	for n := range many {
		many[n].Locks = []lockmodel.Lock{at(time.Minute)}
	}
	if err := measureStale(t.Context(), set, many, now); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	if err := set.Write(&log, metrics.Labels{Namespace: namespace, At: now}); err != nil {
		t.Fatal(err)
	}
	if got := measurements(t, log.String()); got["StaleLocks"][0] != stalePages {
		t.Errorf("of %d pages: %v", len(many), got)
	}
}

var _ lister = lockapi.Store(nil)
