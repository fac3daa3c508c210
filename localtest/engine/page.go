package engine

import (
	"hash/fnv"

	"github.com/tidwall/btree"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// maxPage is how many bytes of items a query or scan looks at for one page.
const maxPage = 1 << 20

// view is a table or an index, as queries and scans see it.
type view struct {
	table *table
	index *index // nil for the table itself
}

func (v view) key() keySchema {
	if v.index != nil {
		return v.index.key
	}
	return v.table.key
}

func (v view) items() *btree.Map[string, attr.Map] {
	if v.index != nil {
		return &v.index.items
	}
	return &v.table.items
}

// startKey is the key that resumes reading after item.
func (v view) startKey(item attr.Map) attr.Map {
	key := attr.Map{}
	for _, a := range append(v.table.key.attributes(), v.key().attributes()...) {
		key[a.name] = item[a.name]
	}
	return key
}

// position is where a start key's item is, or would be.
func (v view) position(startKey attr.Map) (string, error) {
	want := v.startKey(startKey)
	if len(startKey) != len(want) {
		return "", errStartKey
	}
	for _, a := range append(v.table.key.attributes(), v.key().attributes()...) {
		if value, ok := startKey[a.name]; !ok || value.Type() != a.typ {
			return "", errStartKey
		}
	}
	key := string(v.table.key.append(nil, startKey))
	if v.index != nil {
		return v.index.entry(key, startKey), nil
	}
	return key, nil
}

const errStartKey attr.Invalid = "The provided starting key is invalid"

// pageRequest is what to read.
type pageRequest struct {
	view
	keys    keyRange
	reverse bool
	limit   int                 // of items looked at; 0 for none
	skip    func(attr.Map) bool // nil, or what belongs to other segments
	filter  func(attr.Map) bool // nil, or what to return
	// paths are what to return of each item; nil is all that the view has.
	paths []expr.Path
	// whole returns attributes that the index does not project.
	whole bool
	// countOnly leaves the items out.
	countOnly bool
}

// page is what was read.
type page struct {
	items   []attr.Map
	count   int
	scanned int
	size    int      // of the items looked at, in bytes
	last    attr.Map // where to go on, nil at the end
}

// read reads one page; the caller holds state.
func (r *pageRequest) read() page {
	var p page
	visit := func(_ string, item attr.Map) bool {
		if r.skip != nil && r.skip(item) {
			return true
		}
		seen := item
		if r.index != nil && !r.whole {
			seen = r.index.project(item)
		}
		p.scanned++
		p.size += seen.ItemSize()
		if r.filter == nil || r.filter(seen) {
			p.count++
			if !r.countOnly {
				if r.paths != nil {
					seen = expr.Project(r.paths, seen)
				}
				p.items = append(p.items, seen)
			}
		}
		if p.scanned == r.limit || p.size >= maxPage {
			p.last = r.startKey(item)
			return false
		}
		return true
	}
	if r.reverse {
		r.items().Descend(r.keys.high, func(key string, item attr.Map) bool {
			return key >= r.keys.high || key >= r.keys.low && visit(key, item)
		})
	} else {
		r.items().Ascend(r.keys.low, func(key string, item attr.Map) bool {
			return (key < r.keys.high || r.keys.high == "") && visit(key, item)
		})
	}
	return p
}

// segment is which of total parts of a scan an item belongs to: items of one
// partition stay together.
func (v view) segment(item attr.Map, total int) int {
	h := fnv.New32a()
	// A hash takes any bytes.
	_, _ = h.Write(attr.AppendKey(nil, item[v.key().hash.name]))
	return int(h.Sum32() % uint32(total))
}
