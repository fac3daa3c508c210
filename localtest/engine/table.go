package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/btree"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// table is a table with its items.
type table struct {
	meta    tableMeta
	key     keySchema
	items   btree.Map[string, attr.Map] // by key.append
	indexes []*index
	size    int // of all items, in bytes
}

// tableMeta is what a data file keeps of a table besides its items.
type tableMeta struct {
	Description tableDescription
	// TTLAttribute holds the time when an item expires; empty if TTL is off.
	TTLAttribute string
}

// index is a secondary index. It holds the items that have its key, as they
// are; what it does not project is left out when it is read.
type index struct {
	name     string
	global   bool
	key      keySchema
	tableKey keySchema
	all      bool                        // projects every attribute
	paths    []expr.Path                 // what it projects otherwise
	items    btree.Map[string, attr.Map] // by index key, then table key
	size     int
}

func newTable(meta tableMeta) *table {
	d := &meta.Description
	t := &table{meta: meta, key: newKeySchema(d.KeySchema, d.AttributeDefinitions)}
	for _, description := range d.GlobalSecondaryIndexes {
		t.addIndex(description, true)
	}
	for _, description := range d.LocalSecondaryIndexes {
		t.addIndex(description, false)
	}
	// Where an item is wrong for several indexes, the first by name is reported.
	slices.SortFunc(t.indexes, func(a, b *index) int { return strings.Compare(a.name, b.name) })
	return t
}

func (t *table) addIndex(d indexDescription, global bool) {
	x := &index{
		name:     d.IndexName,
		global:   global,
		key:      newKeySchema(d.KeySchema, t.meta.Description.AttributeDefinitions),
		tableKey: t.key,
		all:      d.Projection.ProjectionType == "ALL",
	}
	names := slices.Clone(d.Projection.NonKeyAttributes)
	for _, a := range append(x.key.attributes(), t.key.attributes()...) {
		if !slices.Contains(names, a.name) {
			names = append(names, a.name)
		}
	}
	for _, name := range names {
		x.paths = append(x.paths, expr.Path{{Name: name}})
	}
	t.indexes = append(t.indexes, x)
}

func (t *table) index(name string) *index {
	for _, x := range t.indexes {
		if x.name == name {
			return x
		}
	}
	return nil
}

// store files item under key in place of old; nil stands for no item both
// times.
func (t *table) store(key string, old, item attr.Map) {
	if item == nil {
		t.items.Delete(key)
	} else {
		t.items.Set(key, item)
	}
	t.size += item.ItemSize() - old.ItemSize()
	for _, x := range t.indexes {
		x.store(key, old, item)
	}
}

func (x *index) store(key string, old, item attr.Map) {
	if old != nil && x.key.covers(old) {
		x.items.Delete(x.entry(key, old))
		x.size -= x.project(old).ItemSize()
	}
	if item != nil && x.key.covers(item) {
		x.items.Set(x.entry(key, item), item)
		x.size += x.project(item).ItemSize()
	}
}

// entry is where the index files an item.
func (x *index) entry(key string, item attr.Map) string {
	return string(append(x.key.append(nil, item), key...))
}

// project returns the attributes of item that the index holds.
func (x *index) project(item attr.Map) attr.Map {
	if x.all {
		return item
	}
	return expr.Project(x.paths, item)
}

// checkItem refuses an item that the table can't hold.
func (t *table) checkItem(item attr.Map) error {
	if err := t.key.checkItem(item); err != nil {
		return err
	}
	return t.checkIndexKeys(item, emptyIndexKey)
}

// checkIndexKeys checks the attributes of item that are part of an index's key.
// They are optional; emptyKey words the error for one that is empty.
func (t *table) checkIndexKeys(item attr.Map, emptyKey func(index string, a keyAttribute) error) error {
	for _, x := range t.indexes {
		for _, a := range x.key.attributes() {
			v, ok := item[a.name]
			switch {
			case !ok:
			case v.Type() != a.typ:
				return validationf("One or more parameter values were invalid: Type mismatch for Index Key %s "+
					"Expected: %s Actual: %s IndexName: %s", a.name, a.typ, v.Type(), x.name)
			case a.typ != attr.TypeNumber && v.Size() == 0:
				return emptyKey(x.name, a)
			}
		}
	}
	return nil
}

// checkPaths refuses paths that lead into a key attribute: those are scalars.
func (t *table) checkPaths(lists ...[]expr.Path) error {
	const message = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s"
	for _, path := range slices.Concat(lists...) {
		if len(path) == 1 {
			continue
		}
		name := path[0].Name
		if t.key.has(name) {
			return validationf(message, "Key", name)
		}
		for _, x := range t.indexes {
			if x.key.has(name) {
				return validationf(message, "IndexKey", name)
			}
		}
	}
	return nil
}

// describe returns the table's description with current counts.
func (t *table) describe() *tableDescription {
	d := t.meta.Description
	d.ItemCount, d.TableSizeBytes = t.items.Len(), t.size
	d.GlobalSecondaryIndexes = t.describeIndexes(d.GlobalSecondaryIndexes)
	d.LocalSecondaryIndexes = t.describeIndexes(d.LocalSecondaryIndexes)
	return &d
}

func (t *table) describeIndexes(descriptions []indexDescription) []indexDescription {
	current := slices.Clone(descriptions)
	for i := range current {
		x := t.index(current[i].IndexName)
		current[i].ItemCount, current[i].IndexSizeBytes = x.items.Len(), x.size
	}
	return current
}

// expired reports whether item's time has come, by the rules of the guide: a
// number of seconds since 1970 that is past, but not by more than five years.
func (t *table) expired(item attr.Map, now time.Time) bool {
	if t.meta.TTLAttribute == "" {
		return false
	}
	at, ok := item[t.meta.TTLAttribute].(attr.Number)
	return ok && at.Compare(attr.Int(int(now.Unix()))) < 0 &&
		at.Compare(attr.Int(int(now.AddDate(-5, 0, 0).Unix()))) > 0
}
