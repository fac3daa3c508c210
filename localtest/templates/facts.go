package templates

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Facts are what a definition deploys, each by a name that says where to look:
// "function.api.timeout" is "15".
type Facts map[string]string

// Differences lists where two sets of facts differ, in the order of their names.
func Differences(a, b Facts) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		left, inA := a[name]
		right, inB := b[name]
		switch {
		case !inA:
			found = append(found, fmt.Sprintf("%s: missing, and %q", name, right))
		case !inB:
			found = append(found, fmt.Sprintf("%s: %q, and missing", name, left))
		case left != right:
			found = append(found, fmt.Sprintf("%s: %q, and %q", name, left, right))
		}
	}
	return found
}

// Part gives the facts whose names begin with prefix, without it.
func (f Facts) Part(prefix string) Facts {
	part := Facts{}
	for name, value := range f {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			part[rest] = value
		}
	}
	return part
}

// set records a value, nil for one that is not there.
func (f Facts) set(name string, value any) {
	if value == nil {
		return
	}
	if old, ok := f[name]; ok {
		f[name] = "twice: " + old
		return
	}
	f[name] = text(value)
}

// text gives an evaluated value as a fact: scalars as they are, the rest as JSON.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v)
	}
	var doc strings.Builder
	encoder := json.NewEncoder(&doc)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(doc.String(), "\n")
}

// canonical gives a JSON document in one spelling.
func canonical(doc string) string {
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return "no JSON: " + err.Error()
	}
	return text(v)
}

// statement is one of a policy, whatever wrote it.
type statement struct {
	actions, resources []string
	condition          string
}

// grant records what a policy's statements allow, action by action.
func (f Facts) grant(name string, statements []statement) {
	resources := map[string][]string{}
	for _, s := range statements {
		for _, action := range s.actions {
			for _, resource := range s.resources {
				if s.condition != "" {
					resource += " where " + s.condition
				}
				resources[action] = append(resources[action], resource)
			}
		}
	}
	for action, on := range resources {
		slices.Sort(on)
		old := f[name+".allow."+action]
		f[name+".allow."+action] = strings.TrimPrefix(old+", "+strings.Join(on, ", "), ", ")
	}
}

// list gives the strings of an evaluated value, which may be one alone.
func list(value any) []string {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		var all []string
		for _, element := range v {
			all = append(all, text(element))
		}
		return all
	}
	return []string{text(value)}
}

// object gives the members of an evaluated value, none where it has none.
func object(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

// at follows a path of members.
func at(value any, path ...string) any {
	for _, name := range path {
		value = object(value)[name]
	}
	return value
}

// each gives the elements of an evaluated value.
func each(value any) []any {
	v, _ := value.([]any)
	return v
}
