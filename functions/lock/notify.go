package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// publisher is what notifications need of Amazon SNS: the action that the role
// of the history needs for them.
type publisher interface {
	Publish(context.Context, *sns.PublishInput, ...func(*sns.Options)) (*sns.PublishOutput, error)
}

// notifier tells a topic what people want to hear of: that a lock was marked
// stale or force-unlocked. Its zero value tells nobody.
type notifier struct {
	client publisher
	topic  string
}

// newNotifier makes the notifier of a topic, "" for none. It takes a second
// configuration of the SDK's, which those who tell nobody don't wait for.
func newNotifier(ctx context.Context, topic string) (notifier, error) {
	if topic == "" {
		return notifier{}, nil
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return notifier{}, fmt.Errorf("load the AWS configuration: %w", err)
	}
	return notifier{sns.NewFromConfig(cfg), topic}, nil
}

// notice is the message, as JSON.
type notice struct {
	Op        string `json:"op"`
	Workspace string `json:"ws"`
	Owner     string `json:"owner"`
	LockID    string `json:"lock_id"`
	Fence     int64  `json:"fence"`
	By        string `json:"by"`
	Reason    string `json:"reason,omitempty"`
	RequestID string `json:"request_id"`
	At        string `json:"at"`
}

// maxSubject is how long a message's subject may be at most: Publish in the
// Amazon SNS API reference says less than 100.
const maxSubject = 99

// tell publishes an event, where it is one to tell. An event that the stream
// delivers again is told again.
func (n notifier) tell(ctx context.Context, e lockmodel.Event) error {
	what := map[lockmodel.Op]string{lockmodel.MarkStale: "marked stale", lockmodel.ForceUnlock: "force-unlocked"}[e.Op]
	if n.client == nil || what == "" {
		return nil
	}
	message, err := json.Marshal(notice{
		Op: e.Op.String(), Workspace: e.Workspace, Owner: e.Runner, LockID: e.LockID, Fence: e.Fence,
		By: e.By, Reason: e.Reason, RequestID: e.RequestID, At: time.UnixMilli(e.At).UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		return err
	}
	_, err = n.client.Publish(ctx, &sns.PublishInput{
		TopicArn: &n.topic,
		Subject:  aws.String(fmt.Sprintf("%.*s", maxSubject, "statelock: "+what+": "+e.Workspace)),
		Message:  aws.String(string(message)),
		// For subscriptions that want one kind.
		MessageAttributes: map[string]types.MessageAttributeValue{
			"op": {DataType: aws.String("String"), StringValue: aws.String(e.Op.String())},
		},
	})
	if err != nil {
		return fmt.Errorf("notify of %s of %s: %w", e.Op, e.Workspace, err)
	}
	return nil
}
