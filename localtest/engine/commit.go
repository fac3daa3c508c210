package engine

import (
	"encoding/json"
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/kv"
)

// write is a change of one item: from old to item, nil standing for none.
type write struct {
	table     *table
	key       string
	old, item attr.Map
	check     bool // it was a mere condition, nothing changes
}

// effective reports a write that changes something: not a mere condition, nor
// the deletion of what is not there.
func (w write) effective() bool { return !w.check && (w.old != nil || w.item != nil) }

// commit makes writes, all or none: first in the file, if there is one, then in
// memory. So memory never shows what a crash could take back. The caller has
// held writing since it read the old items.
func (e *Engine) commit(writes []write) error {
	if !slices.ContainsFunc(writes, write.effective) {
		return nil
	}
	err := e.persist(func(tx kv.Tx) error { return persistWrites(tx, writes) })
	if err != nil {
		return err
	}
	e.state.Lock()
	defer e.state.Unlock()
	storeWrites(writes)
	return nil
}

// commitWithToken is commit for a transaction that has a ClientRequestToken,
// which is remembered together with the writes.
func (e *Engine) commitWithToken(writes []write, name string, tok token) error {
	if name == "" {
		return e.commit(writes)
	}
	old := e.forget(tok.At)
	err := e.persist(func(tx kv.Tx) error {
		if err := persistWrites(tx, writes); err != nil {
			return err
		}
		return persistToken(tx, name, tok, old)
	})
	if err != nil {
		return err
	}
	e.state.Lock()
	defer e.state.Unlock()
	storeWrites(writes)
	for _, o := range old {
		delete(e.tokens, o)
	}
	e.tokens[name] = tok
	return nil
}

func storeWrites(writes []write) {
	for _, w := range writes {
		if w.effective() {
			w.table.store(w.key, w.old, w.item)
		}
	}
}

func persistWrites(tx kv.Tx, writes []write) error {
	for _, w := range writes {
		if !w.effective() {
			continue
		}
		if err := w.persist(tx); err != nil {
			return err
		}
	}
	return nil
}

// persist makes a change in the file, if there is one.
func (e *Engine) persist(change func(kv.Tx) error) error {
	if e.file == nil {
		return nil
	}
	return e.file.Update(change)
}

func (w write) persist(tx kv.Tx) error {
	bucket := itemsBucket(w.table)
	if w.item == nil {
		return tx.Delete(bucket, []byte(w.key))
	}
	return tx.Put(bucket, []byte(w.key), w.item.AppendJSON(nil))
}

func putJSON(tx kv.Tx, bucket, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Put(bucket, []byte(key), text)
}
