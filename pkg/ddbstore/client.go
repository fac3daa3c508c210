package ddbstore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// What a client of Connect spends on one request at most: its tries, each cut
// off after the time-out, and the pauses between. That is below the function's
// own time-out, so that callers get an answer and not a silence.
const (
	tries      = 3
	tryTimeout = 2 * time.Second
	maxPause   = 300 * time.Millisecond
)

// Connect makes a DynamoDB client from the AWS SDK's usual settings (region,
// credentials, AWS_ENDPOINT_URL_DYNAMODB), with time-outs and retries fit for
// locks. A retry of a write that did land is recognised by the item it finds.
func Connect(ctx context.Context, options ...func(*dynamodb.Options)) (*dynamodb.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(tryTimeout)),
		config.WithRetryer(func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxAttempts = tries
				o.MaxBackoff = maxPause
			})
		}))
	if err != nil {
		return nil, fmt.Errorf("load the AWS configuration: %w", err)
	}
	return dynamodb.NewFromConfig(cfg, options...), nil
}
