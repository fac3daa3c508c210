package expr

import (
	"cmp"
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

// compareSteps orders names and indexes.
func compareSteps(a, b Step) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Index, b.Index))
}

// sortEdits puts edits of the same element next to each other; depth is how
// many steps of their paths led to what holds the elements.
func sortEdits(edits []edit, depth int) {
	slices.SortStableFunc(edits, func(a, b edit) int { return compareSteps(a.path[depth], b.path[depth]) })
}

// sameElement counts the edits at the front that are of the same element.
func sameElement(edits []edit, depth int) int {
	n := 1
	for n < len(edits) && edits[n].path[depth] == edits[0].path[depth] {
		n++
	}
	return n
}

// editMap returns a map with the edits made to its elements.
func editMap(m attr.Map, edits []edit, depth int) (attr.Map, error) {
	edited := maps.Clone(m)
	if edited == nil {
		edited = attr.Map{}
	}
	sortEdits(edits, depth)
	for len(edits) > 0 {
		n := sameElement(edits, depth)
		name := edits[0].path[depth].Name
		v, err := editElement(m[name], edits[:n], depth+1)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
			delete(edited, name)
		default:
			edited[name] = v
		}
		edits = edits[n:]
	}
	return edited, nil
}

// editList is editMap for lists. Indexes mean the list as it was: what is
// removed closes up afterwards, what is set beyond the end is appended in order
// of the indexes.
func editList(list attr.List, edits []edit, depth int) (attr.List, error) {
	edited := slices.Clone(list)
	sortEdits(edits, depth)
	for len(edits) > 0 {
		n := sameElement(edits, depth)
		index := edits[0].path[depth].Index
		var old attr.Value
		if index < len(list) {
			old = list[index]
		}
		v, err := editElement(old, edits[:n], depth+1)
		if err != nil {
			return nil, err
		}
		if index < len(list) {
			edited[index] = v
		} else {
			edited = append(edited, v)
		}
		edits = edits[n:]
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
