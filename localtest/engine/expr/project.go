package expr

import (
	"slices"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Project returns the parts of item that resolved paths lead to, in the
// documents they stand in. Elements of a list close up, in the list's order. No
// item has no parts.
func Project(paths []Path, item attr.Map) attr.Map {
	if item == nil {
		return nil
	}
	if part, ok := project(item, paths, 0).(attr.Map); ok {
		return part
	}
	return attr.Map{}
}

// project returns what the paths, all longer than depth or ending there, take
// from v; nil for nothing.
func project(v attr.Value, paths []Path, depth int) attr.Value {
	if len(paths[0]) == depth {
		return v
	}
	switch v := v.(type) {
	case attr.Map:
		part := attr.Map{}
		for _, same := range byStep(paths, depth) {
			name := same[0][depth].Name
			if child, ok := v[name]; ok && name != "" {
				if child = project(child, same, depth+1); child != nil {
					part[name] = child
				}
			}
		}
		if len(part) > 0 {
			return part
		}
	case attr.List:
		var part attr.List
		for _, same := range byStep(paths, depth) {
			step := same[0][depth]
			if step.Name == "" && step.Index < len(v) {
				if child := project(v[step.Index], same, depth+1); child != nil {
					part = append(part, child)
				}
			}
		}
		if len(part) > 0 {
			return part
		}
	}
	return nil
}

// byStep sorts paths by their step at depth and splits them where it changes.
func byStep(paths []Path, depth int) [][]Path {
	sorted := slices.SortedStableFunc(slices.Values(paths), func(a, b Path) int {
		return compareSteps(a[depth], b[depth])
	})
	var groups [][]Path
	for i, path := range sorted {
		if i > 0 && path[depth] == sorted[i-1][depth] {
			groups[len(groups)-1] = append(groups[len(groups)-1], path)
		} else {
			groups = append(groups, []Path{path})
		}
	}
	return groups
}
