package engine

import (
	"maps"
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// maxBatchWrite is how many items one BatchWriteItem changes.
const maxBatchWrite = 25

type (
	batchWriteRequest struct {
		RequestItems                map[tableRef][]batchWrite
		ReturnConsumedCapacity      string
		ReturnItemCollectionMetrics string
	}
	batchWrite struct {
		PutRequest    *struct{ Item *attr.Input }
		DeleteRequest *struct{ Key *attr.Input }
	}
	batchWriteResponse struct {
		UnprocessedItems map[string]any
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
)

func (e *Engine) batchWriteItem(r *batchWriteRequest) (*batchWriteResponse, error) {
	var c constraints
	c.required(r.RequestItems != nil, "requestItems")
	c.oneOf(r.ReturnConsumedCapacity, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
	c.oneOf(r.ReturnItemCollectionMetrics, "returnItemCollectionMetrics", "SIZE", "NONE")
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := r.checkCounts(); err != nil {
		return nil, err
	}
	tables := slices.Sorted(maps.Keys(r.RequestItems))
	var all []*itemWrite
	for _, table := range tables {
		for _, b := range r.RequestItems[table] {
			w, err := b.write()
			if err != nil {
				return nil, err
			}
			w.table = table.name()
			all = append(all, w)
		}
	}
	writes, err := e.executeBatch(all)
	if err != nil {
		return nil, err
	}
	response := &batchWriteResponse{UnprocessedItems: map[string]any{}}
	response.ConsumedCapacity = capacities(r.ReturnConsumedCapacity, writes)
	return response, nil
}

// checkCounts refuses batches of nothing or too much, by table and as a whole.
func (r *batchWriteRequest) checkCounts() error {
	var c constraints
	count := 0
	for table, list := range r.RequestItems {
		c.name(table.name(), "requestItems")
		count += len(list)
		if len(list) == 0 || len(list) > maxBatchWrite {
			c.fail("{"+string(table)+"=[...]}", "requestItems", "Map value must satisfy constraint: "+
				"[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
		}
	}
	if err := c.err(); err != nil {
		return err
	}
	switch {
	case count == 0:
		return validationf("The requestItems parameter is required for BatchWriteItem")
	case count > maxBatchWrite:
		return validationf("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// write is the put or delete that b asks for.
func (b *batchWrite) write() (*itemWrite, error) {
	var none conditional
	switch {
	case b.PutRequest != nil && b.DeleteRequest != nil:
		return nil, validationf("Supplied AttributeValue has more than one datatypes set, " +
			"must contain exactly one of the supported datatypes")
	case b.PutRequest != nil && b.PutRequest.Item != nil:
		return none.put(b.PutRequest.Item)
	case b.DeleteRequest != nil && b.DeleteRequest.Key != nil:
		return none.delete(b.DeleteRequest.Key)
	}
	return nil, validationf("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

// executeBatch does writes without conditions. The service may do some of them
// only; we do all or none.
func (e *Engine) executeBatch(all []*itemWrite) ([]write, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	writes := make([]write, len(all))
	for i, w := range all {
		var err error
		if writes[i], err = e.prepare(w); err != nil {
			return nil, err
		}
		if writes[i].repeats(writes[:i]) {
			return nil, validationf("Provided list of item keys contains duplicates")
		}
	}
	return writes, e.commit(writes)
}

// repeats reports whether one of the others is for the same item.
func (w write) repeats(others []write) bool {
	return slices.ContainsFunc(others, func(o write) bool { return o.table == w.table && o.key == w.key })
}

// capacities is the answer to ReturnConsumedCapacity for writes to any number
// of tables.
func capacities(want string, writes []write) []*consumedCapacity {
	units := map[string]float64{}
	for _, w := range writes {
		units[w.table.meta.Description.TableName] += w.units()
	}
	var all []*consumedCapacity
	for _, name := range slices.Sorted(maps.Keys(units)) {
		r := common{TableName: tableRef(name), ReturnConsumedCapacity: want}
		if c := capacity(&r, units[name]); c != nil {
			all = append(all, c)
		}
	}
	return all
}
