package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// stream records the transitions that a batch of the table's stream shows, and
// tells those who want to hear of them. A record that could not be written, or
// told, is reported by its number, from which on Lambda delivers the batch
// again; what was written already is written again.
func (h *handler) stream(ctx context.Context, event []byte) (answer []byte, seen []slog.Attr, err error) {
	var batch events.DynamoDBEvent
	if json.Unmarshal(event, &batch) != nil {
		return refusal("bad_request", accepted), nil, nil //nolint:nilerr // the answer says so
	}
	recorded := 0
	response := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for _, r := range batch.Records {
		e, ok := eventOf(r)
		if !ok {
			continue
		}
		failure := h.recorder.Record(ctx, e)
		if failure == nil {
			failure = h.notify.tell(ctx, e)
		}
		if failure != nil {
			seen = append(seen, slog.String("error", failure.Error()))
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.DynamoDBBatchItemFailure{ItemIdentifier: r.Change.SequenceNumber})
			break
		}
		recorded++
	}
	answer, err = json.Marshal(response)
	return answer, append(seen, slog.Int("records", len(batch.Records)), slog.Int("recorded", recorded)), err
}

// eventOf tells the transition that a record of the stream shows, if it shows one.
func eventOf(r events.DynamoDBEventRecord) (lockmodel.Event, bool) {
	return ddbstore.EventBetween(image(r.Change.Keys, r.Change.OldImage), image(r.Change.Keys, r.Change.NewImage))
}

// image reads an item of the stream; nil where there is none.
func image(keys, item map[string]events.DynamoDBAttributeValue) *ddbstore.Image {
	if len(item) == 0 {
		return nil
	}
	i := &ddbstore.Image{Strings: map[string]string{}, Numbers: map[string]string{}}
	for _, attributes := range []map[string]events.DynamoDBAttributeValue{keys, item} {
		for name, v := range attributes {
			switch v.DataType() {
			case events.DataTypeString:
				i.Strings[name] = v.String()
			case events.DataTypeNumber:
				i.Numbers[name] = v.Number()
			}
		}
	}
	return i
}
