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
	// paths are what an update changes, conditionPaths what the condition speaks
	// of, both resolved.
	paths, conditionPaths []expr.Path
	// wantsItem asks a failed condition for the item that failed it.
	wantsItem bool
}

// execute does one write by itself.
func (e *Engine) execute(w *itemWrite) (write, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	done, err := e.prepare(w)
	if err != nil {
		return write{}, err
	}
	return done, e.commit([]write{done})
}

// prepare locates an item, decides on its write and makes the new item. The
// caller holds writing until it commits.
func (e *Engine) prepare(w *itemWrite) (write, error) {
	found, err := e.locate(w)
	if err != nil {
		return write{}, err
	}
	return w.decide(found)
}

// locate finds the item that a write is for.
func (e *Engine) locate(w *itemWrite) (write, error) {
	t, err := e.table(w.table)
	if err != nil {
		return write{}, err
	}
	if w.put {
		err = t.checkItem(w.key)
	} else {
		err = t.checkUpdate(w.key, w.paths)
	}
	if err == nil {
		err = t.checkPaths(w.paths, w.conditionPaths)
	}
	if err != nil {
		return write{}, err
	}
	key := string(t.key.append(nil, w.key))
	old, _ := t.items.Get(key)
	return write{table: t, key: key, old: old, check: w.check}, nil
}

// decide holds the condition against the item found and makes the new one.
func (w *itemWrite) decide(found write) (write, error) {
	if w.condition != nil && !w.params.Eval(w.condition, found.old) {
		if w.wantsItem {
			return write{}, conditionFailed(found.old)
		}
		return write{}, conditionFailed(nil)
	}
	var err error
	if found.item, err = w.change(found.old); err != nil {
		return write{}, err
	}
	if found.item == nil || w.put {
		return found, nil
	}
	return found, found.table.checkIndexKeys(found.item, emptyUpdatedIndexKey)
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
