package engine

import (
	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// itemWrite is a checked request to write one item: a put, update, delete or,
// in transactions, a mere condition. It knows nothing of the table yet.
type itemWrite struct {
	table     string
	key       attr.Map // the key, or for a put the whole item
	condition expr.Condition
	params    *expr.Params
	// change makes the new item of the old one; nil stands for none both times.
	change func(old attr.Map) (attr.Map, error)
	// put says that key is the item, check that nothing is to be changed.
	put, check bool
	// paths are the attributes that an update changes, resolved.
	paths []expr.Path
	// wantsItem asks a failed condition for the item that failed it.
	wantsItem bool
}

// prepare decides on a write: it reads the item, holds the condition against it
// and makes the new one. The caller holds writing until it commits.
func (e *Engine) prepare(w *itemWrite) (write, error) {
	t, err := e.table(w.table)
	if err != nil {
		return write{}, err
	}
	if w.put {
		err = t.checkItem(w.key)
	} else {
		err = t.checkUpdate(w.key, w.paths)
	}
	if err != nil {
		return write{}, err
	}
	key := string(t.key.append(nil, w.key))
	old, _ := t.items.Get(key)
	if w.condition != nil && !w.params.Eval(w.condition, old) {
		if w.wantsItem {
			return write{}, conditionFailed(old)
		}
		return write{}, conditionFailed(nil)
	}
	item, err := w.change(old)
	if err != nil {
		return write{}, err
	}
	if item != nil && !w.put {
		if err := t.checkItem(item); err != nil {
			return write{}, err
		}
	}
	return write{t, key, old, item, w.check}, nil
}

// checkUpdate checks the key of an update or delete, and that the update leaves
// the key's attributes alone.
func (t *table) checkUpdate(key attr.Map, paths []expr.Path) error {
	if err := t.key.checkKey(key); err != nil {
		return err
	}
	for _, path := range paths {
		if name := path[0].Name; t.key.has(name) {
			return validationf("One or more parameter values were invalid: "+
				"Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	return nil
}

// execute does one write by itself.
func (e *Engine) execute(w *itemWrite) (write, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	done, err := e.prepare(w)
	if err != nil {
		return write{}, err
	}
	if done.old == nil && done.item == nil {
		return done, nil
	}
	return done, e.commit([]write{done})
}

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
	if w.condition, _, err = x.condition(w.params); err != nil {
		return err
	}
	w.wantsItem = r.ReturnValuesOnConditionCheckFailure == "ALL_OLD"
	return w.params.CheckUnused()
}

// put makes w the put of an item.
func (r *conditional) put(item *attr.Input) (*itemWrite, error) {
	if err := checkValues(item); err != nil {
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

// delete makes w the deletion of an item.
func (r *conditional) delete(key *attr.Input) (*itemWrite, error) {
	if err := checkValues(key); err != nil {
		return nil, err
	}
	w := &itemWrite{
		key:    key.Map,
		change: func(attr.Map) (attr.Map, error) { return nil, nil },
	}
	return w, r.fill(w)
}

// update makes w the update of an item.
func (r *conditional) update(key *attr.Input, text *string) (*itemWrite, error) {
	if err := checkValues(key); err != nil {
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
	condition, _, err := r.expression().condition(p)
	if err != nil {
		return nil, err
	}
	w := &itemWrite{
		key:       key.Map,
		condition: condition,
		params:    p,
		paths:     paths,
		wantsItem: r.ReturnValuesOnConditionCheckFailure == "ALL_OLD",
		change:    func(old attr.Map) (attr.Map, error) { return updated(p, u, key.Map, old) },
	}
	return w, p.CheckUnused()
}

// updated applies an update, which may be nil, to an item or to a new one that
// has the key only.
func updated(p *expr.Params, u *expr.Update, key, old attr.Map) (attr.Map, error) {
	item := old
	if item == nil {
		item = key
	}
	if u == nil {
		return item, nil
	}
	item, err := p.Apply(u, item)
	if err != nil {
		return nil, err
	}
	if item.ItemSize() > attr.MaxItemSize {
		return nil, validationf("Item size to update has exceeded the maximum allowed size")
	}
	if attr.Depth(item) > attr.MaxDepth {
		return nil, attr.ErrTooDeep
	}
	return item, nil
}
