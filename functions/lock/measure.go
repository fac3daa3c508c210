package main

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
	"github.com/statelock/statelock/pkg/metrics"
)

// namespace is where CloudWatch shows the metrics. All have the dimension Table.
const namespace = "statelock"

// The metrics. The deployments' alarms and dashboards name them.
const (
	// metricTransitions counts transitions by Operation and Answer: done, repeat,
	// error, or the code of the refusal.
	metricTransitions = "Transitions"
	// metricContention counts acquires that found the lock taken.
	metricContention = "Contention"
	// metricRefusedWrites counts state writes that the lock refused.
	metricRefusedWrites = "RefusedStateWrites"
	// metricHeld and metricStale are for how long a hold that ended had lasted,
	// and had been stale.
	metricHeld  = "HeldTime"
	metricStale = "StaleTime"
	// metricStaleLocks and metricOldestStale are how many locks are stale, and
	// since when the oldest of them is.
	metricStaleLocks  = "StaleLocks"
	metricOldestStale = "OldestStale"
	// metricLatency and metricRetries are of requests to DynamoDB, by Action:
	// with all tries and pauses, and how many tries came after the first.
	metricLatency = "DynamoDBLatency"
	metricRetries = "DynamoDBRetries"
)

// measured is a store that measures its transitions.
type measured struct{ lockapi.Store }

// Transition implements lockapi.Store.
func (m measured) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	out, err := m.Store.Transition(ctx, r)
	measure(metrics.From(ctx), r.Op, out, err)
	return out, err
}

// WriteState implements lockapi.Store.
func (m measured) WriteState(ctx context.Context, r lockmodel.Request, body []byte) (lockmodel.Outcome, error) {
	out, err := m.Store.WriteState(ctx, r, body)
	measure(metrics.From(ctx), lockmodel.WriteState, out, err)
	return out, err
}

// measure adds what became of a request.
func measure(set *metrics.Set, op lockmodel.Op, out lockmodel.Outcome, err error) {
	answer := "done"
	switch {
	case err != nil:
		answer = "error"
	case !out.Rule.Done():
		answer = string(out.Rule.Code)
	case !out.Wrote():
		answer = "repeat"
	}
	set.Add(metricTransitions, metrics.Count, 1, metrics.Dimension{Name: "Operation", Value: op.String()}, metrics.Dimension{Name: "Answer", Value: answer})
	if err != nil {
		return
	}
	switch refused := !out.Rule.Done(); {
	case refused && op == lockmodel.Acquire && out.Before.Holders > 0:
		set.Add(metricContention, metrics.Count, 1)
	case refused && op == lockmodel.WriteState:
		set.Add(metricRefusedWrites, metrics.Count, 1)
	case out.Wrote() && (op == lockmodel.ReleaseLock || op == lockmodel.ForceUnlock):
		set.Add(metricHeld, metrics.Seconds, seconds(out.Before.AcquiredAt, out.Lock.ChangedAt))
		if out.Before.State == lockmodel.Stale {
			set.Add(metricStale, metrics.Seconds, seconds(out.Before.StaleAt, out.Lock.ChangedAt))
		}
	}
}

// seconds is the time between two times in milliseconds; clocks that differ
// don't make it negative.
func seconds(from, to int64) float64 { return float64(max(to-from, 0)) / 1000 }

// lister reads a page of locks.
type lister interface {
	List(context.Context, ddbstore.Query) (ddbstore.Page, error)
}

// stalePages bounds how many pages of stale locks a sweep looks at. Where there
// are more, it tells of those it saw.
const stalePages = 10

// measureStale adds how many locks are stale, and the age of the oldest. It
// reads the stale locks alone.
func measureStale(ctx context.Context, set *metrics.Set, locks lister, now time.Time) error {
	count, oldest := 0, 0.0
	query := ddbstore.Query{State: lockmodel.Stale, Limit: ddbstore.MaxPage}
	for range stalePages {
		page, err := locks.List(ctx, query)
		if err != nil {
			return err
		}
		for _, l := range page.Locks {
			count++
			if l.StaleAt != lockmodel.Missing {
				oldest = max(oldest, seconds(l.StaleAt, now.UnixMilli()))
			}
		}
		if query.Cursor = page.Next; query.Cursor == "" {
			break
		}
	}
	set.Add(metricStaleLocks, metrics.Count, float64(count))
	set.Add(metricOldestStale, metrics.Seconds, oldest)
	return nil
}

// measureRequests has a DynamoDB client measure its requests.
func measureRequests(o *dynamodb.Options) {
	measure := middleware.InitializeMiddlewareFunc("statelock/measure", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		start := time.Now()
		out, metadata, err := next.HandleInitialize(ctx, in)
		set, action := metrics.From(ctx), metrics.Dimension{Name: "Action", Value: middleware.GetOperationName(ctx)}
		set.Add(metricLatency, metrics.Milliseconds, float64(time.Since(start).Microseconds())/1000, action)
		if tries, ok := retry.GetAttemptResults(metadata); ok && len(tries.Results) > 1 {
			set.Add(metricRetries, metrics.Count, float64(len(tries.Results)-1), action)
		}
		return out, metadata, err
	})
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(measure, middleware.After)
	})
}
