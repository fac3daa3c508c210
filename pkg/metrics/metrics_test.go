package metrics_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/pkg/metrics"
)

var labels = metrics.Labels{
	Namespace: "locks", At: time.UnixMilli(1_800_000_000_123),
	Dimensions: []metrics.Dimension{{Name: "Table", Value: "t"}},
	Properties: map[string]string{"request_id": "r-1"},
}

func written(t *testing.T, s *metrics.Set) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Write(&out, labels); err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// A line for each combination of dimensions, with one value or several of each
// metric.
func TestWrite(t *testing.T) {
	t.Parallel()
	s := metrics.NewSet()
	acquire := metrics.Dimension{Name: "Operation", Value: "acquire"}
	s.Add("Transitions", metrics.Count, 1, acquire)
	s.Add("Held", metrics.Seconds, 2.5)
	s.Add("Transitions", metrics.Count, 3, acquire, metrics.Dimension{Name: "Answer"})
	got := written(t, s)
	want := []string{
		`{"Operation":"acquire","Table":"t","Transitions":[1,3],"_aws":{"Timestamp":1800000000123,"CloudWatchMetrics":[{"Namespace":"locks","Dimensions":[["Table","Operation"]],"Metrics":[{"Name":"Transitions","Unit":"Count"}]}]},"request_id":"r-1"}` + "\n",
		`{"Held":2.5,"Table":"t","_aws":{"Timestamp":1800000000123,"CloudWatchMetrics":[{"Namespace":"locks","Dimensions":[["Table"]],"Metrics":[{"Name":"Held","Unit":"Seconds"}]}]},"request_id":"r-1"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again := written(t, s); len(again) != 1 || again[0] != "" {
		t.Errorf("written twice: %q", again)
	}
}

// No document goes over the format's limits, and nothing is lost by that.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := metrics.NewSet()
	for n := range 250 {
		s.Add("Latency", metrics.Milliseconds, float64(n))
		s.Add(fmt.Sprintf("M%d", n), metrics.Count, 1)
	}
	values, names := 0, 0
	for _, line := range written(t, s) {
		var doc map[string]any
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		aws := doc["_aws"].(map[string]any)["CloudWatchMetrics"].([]any)[0].(map[string]any)
		defined := aws["Metrics"].([]any)
		if len(defined) > 100 {
			t.Errorf("%d metrics in a document", len(defined))
		}
		for _, d := range defined {
			name := d.(map[string]any)["Name"].(string)
			switch v := doc[name].(type) {
			case []any:
				if len(v) > 100 {
					t.Errorf("%d values of %s", len(v), name)
				}
				values += len(v)
			case float64:
				names++
			default:
				t.Errorf("%s is %v", name, v)
			}
		}
	}
	if values != 250 || names != 250 {
		t.Errorf("%d values of one metric and %d of others, want 250 of each", values, names)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	metrics.From(t.Context()).Add("Nothing", metrics.Count, 1) // nobody measures
	s := metrics.NewSet()
	ctx := metrics.With(t.Context(), s)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { metrics.From(ctx).Add("N", metrics.Count, 1) })
	}
	all.Wait()
	if got := written(t, s); len(got) != 1 || strings.Count(got[0], "1,1") == 0 {
		t.Errorf("%q", got)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestWriteFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	s := metrics.NewSet()
	s.Add("N", metrics.Count, 1)
	if err := s.Write(failing{broken}, labels); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
