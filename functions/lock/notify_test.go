package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/statelock/statelock/pkg/lockmodel"
)

type publisherFunc func(*sns.PublishInput) error

func (f publisherFunc) Publish(_ context.Context, in *sns.PublishInput, _ ...func(*sns.Options)) (*sns.PublishOutput, error) {
	return &sns.PublishOutput{}, f(in)
}

func TestNotifier(t *testing.T) {
	t.Parallel()
	var got []*sns.PublishInput
	n := notifier{publisherFunc(func(in *sns.PublishInput) error { got = append(got, in); return nil }), "arn:topic"}
	e := lockmodel.Event{
		Workspace: "prod", Fence: 7, LockID: "id-a", Runner: "ci-7", By: "iam:jane", Reason: "the job is gone",
		RequestID: "r-1", At: 1_800_000_000_000,
	}
	for _, op := range lockmodel.Ops() {
		e.Op = op
		if err := n.tell(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 {
		t.Fatalf("%d notices, want those of mark_stale and force_unlock", len(got))
	}
	in := got[1]
	if *in.TopicArn != "arn:topic" || *in.Subject != "statelock: force-unlocked: prod" || *in.MessageAttributes["op"].StringValue != "force_unlock" {
		t.Errorf("%v %v", *in.Subject, in.MessageAttributes)
	}
	const want = `{"op":"force_unlock","ws":"prod","owner":"ci-7","lock_id":"id-a","fence":7,"by":"iam:jane","reason":"the job is gone","request_id":"r-1","at":"2027-01-15T08:00:00Z"}`
	if *in.Message != want {
		t.Errorf("message %s, want %s", *in.Message, want)
	}
	e.Workspace = strings.Repeat("x", 512)
	if err := n.tell(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e.Op = lockmodel.ForceUnlock
	if err := n.tell(t.Context(), e); err != nil || len(*got[2].Subject) != 99 {
		t.Errorf("%v: a subject of %d", err, len(*got[2].Subject))
	}
	if err := (notifier{}).tell(t.Context(), e); err != nil {
		t.Error(err)
	}
}

// TestStreamNotifies: a notice that can't be published is asked for again, with
// the record that it is about.
func TestStreamNotifies(t *testing.T) {
	t.Parallel()
	var batch map[string]any
	if err := json.Unmarshal(recorded(t, "stream_release.json"), &batch); err != nil {
		t.Fatal(err)
	}
	// The release becomes a force-unlock of the stale lock.
	raw, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	event := strings.ReplaceAll(string(raw), "release_lock/", "force_unlock/")
	published := 0
	var fails error
	h, _ := newTest(fakeService{})
	h.recorder = recorderFunc(func(lockmodel.Event) error { return nil })
	h.notify = notifier{publisherFunc(func(*sns.PublishInput) error { published++; return fails }), "arn:topic"}
	if answer, err := h.Invoke(t.Context(), []byte(event)); err != nil || string(answer) != `{"batchItemFailures":[]}` || published != 1 {
		t.Errorf("%s, %v, %d published", answer, err, published)
	}
	fails = errors.New("throttled")
	if answer, err := h.Invoke(t.Context(), []byte(event)); err != nil || string(answer) != `{"batchItemFailures":[{"itemIdentifier":"111"}]}` {
		t.Errorf("%s, %v", answer, err)
	}
}
