package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// recorderFunc is a recorder.
type recorderFunc func(lockmodel.Event) error

func (f recorderFunc) Record(_ context.Context, e lockmodel.Event) error { return f(e) }

// TestStream: a batch of the table's stream leaves a record for each transition
// in it and none for anything else; what could not be recorded is asked for
// again from there on.
func TestStream(t *testing.T) {
	t.Parallel()
	var got []lockmodel.Event
	var fails error
	h, log := newTest(fakeService{})
	h.recorder = recorderFunc(func(e lockmodel.Event) error { got = append(got, e); return fails })

	answer, err := h.Invoke(invocation(t, "aws-1"), recorded(t, "stream_release.json"))
	if err != nil || string(answer) != `{"batchItemFailures":[]}` {
		t.Errorf("%s, %v", answer, err)
	}
	want := lockmodel.Event{
		Workspace: "prod", Op: lockmodel.ReleaseLock, From: lockmodel.Held, To: lockmodel.Unlocked, Fence: 7,
		LockID: "6a968fc7-c4be-561b-8338-f32eda5a094e", Runner: "ci-runner-7", By: "iam:arn:aws:iam::111122223333:user/ci",
		Reason: "applied", RequestID: "r-1", At: 1_800_000_060_000,
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("recorded %+v, want %+v", got, want)
	}
	if line := decode(t, log.Bytes()); line["kind"] != "stream" || line["records"] != 2.0 || line["recorded"] != 1.0 {
		t.Errorf("log %v", line)
	}
	fails = errors.New("throttled")
	if answer, err := h.Invoke(invocation(t, "aws-2"), recorded(t, "stream_release.json")); err != nil || string(answer) != `{"batchItemFailures":[{"itemIdentifier":"111"}]}` {
		t.Errorf("a record that failed: %s, %v", answer, err)
	}
}

// TestStreamStopsAtAFailure: nothing after a record that failed is recorded or
// told, since Lambda delivers it again.
func TestStreamStopsAtAFailure(t *testing.T) {
	t.Parallel()
	var batch struct{ Records []json.RawMessage }
	if err := json.Unmarshal(recorded(t, "stream_release.json"), &batch); err != nil {
		t.Fatal(err)
	}
	// Three force-unlocks, of which the second can't be recorded.
	transition := bytes.ReplaceAll(batch.Records[0], []byte("release_lock/"), []byte("force_unlock/"))
	batch.Records = nil
	for _, number := range []string{"111", "112", "113"} {
		batch.Records = append(batch.Records, bytes.ReplaceAll(transition, []byte(`"111"`), []byte(`"`+number+`"`)))
	}
	event, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	tries, told := 0, 0
	h, log := newTest(fakeService{})
	h.recorder = recorderFunc(func(lockmodel.Event) error {
		if tries++; tries == 2 {
			return errors.New("throttled")
		}
		return nil
	})
	h.notify = notifier{publisherFunc(func(*sns.PublishInput) error { told++; return nil }), "arn:topic"}
	answer, err := h.Invoke(t.Context(), event)
	if err != nil || string(answer) != `{"batchItemFailures":[{"itemIdentifier":"112"}]}` || tries != 2 || told != 1 {
		t.Errorf("%s, %v: %d tried, %d told", answer, err, tries, told)
	}
	if line := decode(t, log.Bytes()); line["records"] != 3.0 || line["recorded"] != 1.0 || line["error"] != "throttled" {
		t.Errorf("log %v", line)
	}
}
