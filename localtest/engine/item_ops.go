package engine

import (
	"encoding/json"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

type (
	getItemRequest struct {
		common
		Key                      *attr.Input
		ConsistentRead           bool
		ProjectionExpression     *string
		ExpressionAttributeNames map[string]string
		AttributesToGet          json.RawMessage
	}
	getItemResponse struct {
		Item             attr.Map          `json:",omitzero"`
		ConsumedCapacity *consumedCapacity `json:",omitempty"`
	}
)

func (e *Engine) getItem(r *getItemRequest) (*getItemResponse, error) {
	var c constraints
	r.check(&c)
	c.required(r.Key != nil, "key")
	if err := c.err(); err != nil {
		return nil, err
	}
	x := expression{"ProjectionExpression", r.ProjectionExpression}
	if err := (legacy{"AttributesToGet": r.AttributesToGet}).refuse(x); err != nil {
		return nil, err
	}
	if err := r.Key.Err; err != nil {
		return nil, err
	}
	paths, err := projectionOnly(x, r.ExpressionAttributeNames)
	if err != nil {
		return nil, err
	}

	e.state.RLock()
	defer e.state.RUnlock()
	item, err := e.get(r.TableName.name(), r.Key.Map, paths)
	if err != nil {
		return nil, err
	}
	response := &getItemResponse{
		Item:             item,
		ConsumedCapacity: capacity(&r.common, readUnits(item.ItemSize(), r.ConsistentRead)),
	}
	if paths != nil {
		response.Item = expr.Project(paths, item)
	}
	return response, nil
}

// get reads an item for a projection to paths; the caller holds state.
func (e *Engine) get(name string, key attr.Map, paths []expr.Path) (attr.Map, error) {
	t, err := e.table(name)
	if err != nil {
		return nil, err
	}
	if err := t.checkPaths(paths); err != nil {
		return nil, err
	}
	if err := t.key.checkKey(key); err != nil {
		return nil, err
	}
	item, _ := t.items.Get(string(t.key.append(nil, key)))
	return item, nil
}

// projectionOnly checks a projection where no other expression can be.
func projectionOnly(x expression, names map[string]string) ([]expr.Path, error) {
	ph := placeholders{ExpressionAttributeNames: names}
	if err := ph.namesNeedExpression(x); err != nil {
		return nil, err
	}
	p, err := ph.params()
	if err != nil {
		return nil, err
	}
	paths, err := x.projection(p)
	if err != nil {
		return nil, err
	}
	return paths, p.CheckUnused()
}

type (
	// wholeRequest is what the requests have in common that write an item whole.
	wholeRequest struct {
		common
		conditional
		ReturnValues        string
		Expected            json.RawMessage
		ConditionalOperator json.RawMessage
	}
	putItemRequest struct {
		wholeRequest
		Item *attr.Input
	}
	deleteItemRequest struct {
		wholeRequest
		Key *attr.Input
	}
	updateItemRequest struct {
		common
		conditional
		Key                 *attr.Input
		UpdateExpression    *string
		ReturnValues        string
		AttributeUpdates    json.RawMessage
		Expected            json.RawMessage
		ConditionalOperator json.RawMessage
	}
	writeResponse struct {
		Attributes       attr.Map          `json:",omitempty"`
		ConsumedCapacity *consumedCapacity `json:",omitempty"`
	}
)

// returnValues are all that ReturnValues can be.
var returnValues = []string{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"}

func (e *Engine) putItem(r *putItemRequest) (*writeResponse, error) {
	return e.writeWhole(&r.wholeRequest, "item", r.Item, r.put)
}

func (e *Engine) deleteItem(r *deleteItemRequest) (*writeResponse, error) {
	return e.writeWhole(&r.wholeRequest, "key", r.Key, r.delete)
}

// writeWhole does the write that plan makes of a request's item or key.
func (e *Engine) writeWhole(r *wholeRequest, name string, in *attr.Input, plan func(*attr.Input) (*itemWrite, error)) (*writeResponse, error) {
	var c constraints
	r.common.check(&c)
	r.conditional.check(&c)
	c.required(in != nil, name)
	c.oneOf(r.ReturnValues, "returnValues", returnValues...)
	if err := c.err(); err != nil {
		return nil, err
	}
	old := legacy{"Expected": r.Expected, "ConditionalOperator": r.ConditionalOperator}
	if err := old.refuse(r.expression()); err != nil {
		return nil, err
	}
	w, err := plan(in)
	if err != nil {
		return nil, err
	}
	if err := onlyAllOld(r.ReturnValues); err != nil {
		return nil, err
	}
	return e.writeOne(w, &r.common, r.ReturnValues)
}

func onlyAllOld(returnValues string) error {
	switch returnValues {
	case "", "NONE", "ALL_OLD":
		return nil
	}
	return validationf("ReturnValues can only be ALL_OLD or NONE")
}

func (e *Engine) updateItem(r *updateItemRequest) (*writeResponse, error) {
	var c constraints
	r.common.check(&c)
	r.conditional.check(&c)
	c.required(r.Key != nil, "key")
	c.oneOf(r.ReturnValues, "returnValues", returnValues...)
	if err := c.err(); err != nil {
		return nil, err
	}
	old := legacy{
		"AttributeUpdates":    r.AttributeUpdates,
		"Expected":            r.Expected,
		"ConditionalOperator": r.ConditionalOperator,
	}
	if err := old.refuse(expression{"UpdateExpression", r.UpdateExpression}, r.expression()); err != nil {
		return nil, err
	}
	w, err := r.update(r.Key, r.UpdateExpression)
	if err != nil {
		return nil, err
	}
	return e.writeOne(w, &r.common, r.ReturnValues)
}

// writeOne does a write and answers with what ReturnValues asks for.
func (e *Engine) writeOne(w *itemWrite, r *common, returnValues string) (*writeResponse, error) {
	w.table = r.TableName.name()
	done, err := e.execute(w)
	if err != nil {
		return nil, err
	}
	response := &writeResponse{ConsumedCapacity: capacity(r, done.units())}
	switch returnValues {
	case "ALL_OLD":
		response.Attributes = done.old
	case "ALL_NEW":
		response.Attributes = done.item
	case "UPDATED_OLD":
		response.Attributes = w.changed(done.old)
	case "UPDATED_NEW":
		response.Attributes = w.changed(done.item)
	}
	return response, nil
}

// changed is the part of item that the update changes.
func (w *itemWrite) changed(item attr.Map) attr.Map {
	if len(w.paths) == 0 || item == nil {
		return nil
	}
	return expr.Project(w.paths, item)
}
