package expr

import (
	"maps"
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// change makes a new value of an old one; nil stands for "not there" both ways.
type change func(old attr.Value) (attr.Value, error)

// edit is a change at a resolved path. The paths of the edits made together do
// not overlap.
type edit struct {
	path   Path
	change change
}

// group takes the edits that share their step at depth with the first one.
func group(edits []edit, depth int) (same, rest []edit) {
	step := edits[0].path[depth]
	for i, e := range edits {
		if e.path[depth] != step {
			rest = append(rest, e)
		} else if i == len(same) {
			same = edits[:i+1]
		} else {
			same = append(same[:len(same):len(same)], e)
		}
	}
	return same, rest
}

// editMap returns a map with the edits made to its elements; depth is how many
// steps of their paths led here.
func editMap(m attr.Map, edits []edit, depth int) (attr.Map, error) {
	edited := maps.Clone(m)
	if edited == nil {
		edited = attr.Map{}
	}
	for len(edits) > 0 {
		var same []edit
		same, edits = group(edits, depth)
		name := same[0].path[depth].Name
		v, err := editElement(m[name], same, depth+1)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
			delete(edited, name)
		default:
			edited[name] = v
		}
	}
	return edited, nil
}

// editList is editMap for lists. Indexes mean the list as it was: what is
// removed closes up afterwards, what is set beyond the end is appended in order
// of the indexes.
func editList(list attr.List, edits []edit, depth int) (attr.List, error) {
	edited := slices.Clone(list)
	beyond := map[int]attr.Value{}
	for len(edits) > 0 {
		var same []edit
		same, edits = group(edits, depth)
		index := same[0].path[depth].Index
		var old attr.Value
		if index < len(list) {
			old = list[index]
		}
		v, err := editElement(old, same, depth+1)
		if err != nil {
			return nil, err
		}
		if index < len(list) {
			edited[index] = v
		} else {
			beyond[index] = v
		}
	}
	for _, index := range slices.Sorted(maps.Keys(beyond)) {
		edited = append(edited, beyond[index])
	}
	return slices.DeleteFunc(edited, func(v attr.Value) bool { return v == nil }), nil
}

// editElement changes one element, itself or what is in it.
func editElement(old attr.Value, edits []edit, depth int) (attr.Value, error) {
	first := edits[0]
	if len(first.path) == depth {
		return first.change(old)
	}
	byName := first.path[depth].Name != ""
	switch old := old.(type) {
	case attr.Map:
		if byName {
			return editMap(old, edits, depth)
		}
	case attr.List:
		if !byName {
			return editList(old, edits, depth)
		}
	}
	return nil, errUpdatePath
}
