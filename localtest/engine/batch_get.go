package engine

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

const (
	// maxBatchGet is how many items one BatchGetItem reads.
	maxBatchGet = 100
	// maxBatchBytes is how much it returns; further keys come back unprocessed.
	maxBatchBytes = 16 << 20
)

type (
	batchGetRequest struct {
		RequestItems           map[tableRef]*keysAndAttributes
		ReturnConsumedCapacity string
	}
	keysAndAttributes struct {
		Keys                     []attr.Map
		ConsistentRead           bool              `json:",omitempty"`
		ProjectionExpression     *string           `json:",omitempty"`
		ExpressionAttributeNames map[string]string `json:",omitempty"`
		AttributesToGet          json.RawMessage   `json:",omitempty"`
		paths                    []expr.Path
	}
	batchGetResponse struct {
		Responses        map[tableRef][]attr.Map
		UnprocessedKeys  map[tableRef]*keysAndAttributes
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
)

func (e *Engine) batchGetItem(r *batchGetRequest) (*batchGetResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	response := &batchGetResponse{
		Responses:       map[tableRef][]attr.Map{},
		UnprocessedKeys: map[tableRef]*keysAndAttributes{},
	}
	left := maxBatchBytes
	e.state.RLock()
	defer e.state.RUnlock()
	for _, table := range slices.Sorted(maps.Keys(r.RequestItems)) {
		k := r.RequestItems[table]
		items := []attr.Map{}
		units := 0.0
		for i, key := range k.Keys {
			item, err := e.get(table.name(), key, k.paths)
			if err != nil {
				return nil, err
			}
			if left -= item.ItemSize(); left < 0 {
				rest := *k
				rest.Keys = k.Keys[i:]
				response.UnprocessedKeys[table] = &rest
				break
			}
			units += readUnits(item.ItemSize(), k.ConsistentRead)
			if k.paths != nil {
				item = expr.Project(k.paths, item)
			}
			if item != nil {
				items = append(items, item)
			}
		}
		response.Responses[table] = items
		c := common{TableName: table, ReturnConsumedCapacity: r.ReturnConsumedCapacity}
		if cost := capacity(&c, units); cost != nil {
			response.ConsumedCapacity = append(response.ConsumedCapacity, cost)
		}
	}
	return response, nil
}

func (r *batchGetRequest) check() error {
	var c constraints
	c.required(r.RequestItems != nil, "requestItems")
	c.oneOf(r.ReturnConsumedCapacity, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
	count := 0
	for table, k := range r.RequestItems {
		c.name(table.name(), "requestItems")
		if k == nil {
			k = &keysAndAttributes{}
		}
		keys := len(k.Keys)
		c.atLeastOne(keys, "RequestItems."+string(table)+".member.Keys")
		count += keys
	}
	c.atLeastOne(len(r.RequestItems), "RequestItems")
	if err := c.err(); err != nil {
		return err
	}
	if count > maxBatchGet {
		return validationf("Too many items requested for the BatchGetItem call")
	}
	for _, k := range r.RequestItems {
		if err := k.check(); err != nil {
			return err
		}
	}
	return nil
}

func (k *keysAndAttributes) check() error {
	x := expression{"ProjectionExpression", k.ProjectionExpression}
	if err := (legacy{"AttributesToGet": k.AttributesToGet}).refuse(x); err != nil {
		return err
	}
	for i, key := range k.Keys {
		for _, other := range k.Keys[:i] {
			if attr.Equal(key, other) {
				return validationf("Provided list of item keys contains duplicates")
			}
		}
	}
	var err error
	k.paths, err = projectionOnly(x, k.ExpressionAttributeNames)
	return err
}
