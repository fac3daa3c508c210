package engine

import (
	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// conditional are the parameters that all conditional writes have.
type conditional struct {
	placeholders
	ConditionExpression                 *string
	ReturnValuesOnConditionCheckFailure string
}

func (r *conditional) check(c *constraints) {
	c.oneOf(r.ReturnValuesOnConditionCheckFailure, "returnValuesOnConditionCheckFailure", "ALL_OLD", "NONE")
}

func (r *conditional) expression() expression {
	return expression{"ConditionExpression", r.ConditionExpression}
}

// fill puts the condition into w, which has no update.
func (r *conditional) fill(w *itemWrite) error {
	x := r.expression()
	if err := r.namesNeedExpression(x); err != nil {
		return err
	}
	var err error
	if w.params, err = r.params(x); err != nil {
		return err
	}
	if w.condition, w.conditionPaths, err = x.condition(w.params); err != nil {
		return err
	}
	w.wantsItem = r.ReturnValuesOnConditionCheckFailure == "ALL_OLD"
	return w.params.CheckUnused()
}

// put is the write that puts item in place of what is there.
func (r *conditional) put(item *attr.Input) (*itemWrite, error) {
	if err := item.Err; err != nil {
		return nil, err
	}
	if item.Map.ItemSize() > attr.MaxItemSize {
		return nil, validationf("Item size has exceeded the maximum allowed size")
	}
	w := &itemWrite{
		key:    item.Map,
		put:    true,
		change: func(attr.Map) (attr.Map, error) { return item.Map, nil },
	}
	return w, r.fill(w)
}

// delete is the write that deletes the item at key.
func (r *conditional) delete(key *attr.Input) (*itemWrite, error) {
	if err := key.Err; err != nil {
		return nil, err
	}
	w := &itemWrite{
		key:    key.Map,
		change: func(attr.Map) (attr.Map, error) { return nil, nil },
	}
	return w, r.fill(w)
}

// update is the write that updates the item at key.
func (r *conditional) update(key *attr.Input, text *string) (*itemWrite, error) {
	if err := key.Err; err != nil {
		return nil, err
	}
	x := expression{"UpdateExpression", text}
	if err := r.namesNeedExpression(x, r.expression()); err != nil {
		return nil, err
	}
	p, err := r.params(x, r.expression())
	if err != nil {
		return nil, err
	}
	u, paths, err := x.update(p)
	if err != nil {
		return nil, err
	}
	condition, conditionPaths, err := r.expression().condition(p)
	if err != nil {
		return nil, err
	}
	w := &itemWrite{
		key:            key.Map,
		condition:      condition,
		params:         p,
		paths:          paths,
		conditionPaths: conditionPaths,
		wantsItem:      r.ReturnValuesOnConditionCheckFailure == "ALL_OLD",
		change:         func(old attr.Map) (attr.Map, error) { return updated(p, u, key.Map, old) },
	}
	return w, p.CheckUnused()
}

// updated applies an update, which may be nil, to an item or to a new one that
// has the key only. To take something away from no item does not make one.
func updated(p *expr.Params, u *expr.Update, key, old attr.Map) (attr.Map, error) {
	item := old
	if item == nil {
		item = key
	}
	if u == nil {
		return item, nil
	}
	if old == nil && u.OnlyTakesAway() {
		return nil, nil
	}
	item, err := p.Apply(u, item)
	if err != nil {
		return nil, err
	}
	if item.ItemSize() > attr.MaxItemSize {
		return nil, validationf("Item size to update has exceeded the maximum allowed size")
	}
	if attr.Depth(item)-1 > attr.MaxDepth {
		return nil, attr.ErrTooDeep
	}
	return item, nil
}
