package engine

import (
	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

type (
	transactGetRequest struct {
		TransactItems          []transactGet
		ReturnConsumedCapacity string
	}
	transactGet struct {
		Get *struct {
			TableName                tableRef
			Key                      *attr.Input
			ProjectionExpression     *string
			ExpressionAttributeNames map[string]string
		}
		paths []expr.Path
	}
	transactGetResponse struct {
		Responses        []getItemResponse
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
)

func (e *Engine) transactGetItems(r *transactGetRequest) (*transactGetResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	e.state.RLock()
	defer e.state.RUnlock()
	response := &transactGetResponse{Responses: make([]getItemResponse, len(r.TransactItems))}
	errs := make([]error, len(r.TransactItems))
	var read []write
	size := 0
	for i, t := range r.TransactItems {
		name := t.Get.TableName.name()
		table, err := e.table(name)
		if err != nil {
			return nil, err
		}
		var item attr.Map
		item, errs[i] = e.get(name, t.Get.Key.Map, t.paths)
		size += item.ItemSize()
		read = append(read, write{table: table, item: item})
		if t.paths != nil {
			item = expr.Project(t.paths, item)
		}
		response.Responses[i].Item = item
	}
	if err := canceled(errs); err != nil {
		return nil, err
	}
	if err := checkTransactSize(size); err != nil {
		return nil, err
	}
	response.ConsumedCapacity = capacities(r.ReturnConsumedCapacity, read)
	return response, nil
}

func (r *transactGetRequest) check() error {
	var c constraints
	c.transactItems(len(r.TransactItems))
	c.oneOf(r.ReturnConsumedCapacity, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
	for _, t := range r.TransactItems {
		c.required(t.Get != nil, "transactItems.member.get")
		if t.Get != nil {
			c.name(t.Get.TableName.name(), "transactItems.member.get.tableName")
			c.required(t.Get.Key != nil, "transactItems.member.get.key")
		}
	}
	if err := c.err(); err != nil {
		return err
	}
	for i := range r.TransactItems {
		t := &r.TransactItems[i]
		if err := t.Get.Key.Err; err != nil {
			return err
		}
		var err error
		x := expression{"ProjectionExpression", t.Get.ProjectionExpression}
		if t.paths, err = projectionOnly(x, t.Get.ExpressionAttributeNames); err != nil {
			return err
		}
	}
	return nil
}
