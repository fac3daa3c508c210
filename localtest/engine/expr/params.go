package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Params are what the placeholders of a request's expressions stand for. They
// note which ones the checks came across.
type Params struct {
	names      map[string]string
	values     attr.Map
	usedNames  map[string]bool
	usedValues map[string]bool
}

// NewParams checks the placeholders themselves. A nil names or values was not
// given in the request; an empty one is an error.
func NewParams(names map[string]string, values *attr.Input) (*Params, error) {
	p := &Params{names: names, usedNames: map[string]bool{}, usedValues: map[string]bool{}}
	if names != nil && len(names) == 0 {
		return nil, attr.Invalid("ExpressionAttributeNames must not be empty")
	}
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if !isPlaceholder(key, '#') {
			return nil, attr.Invalid(`ExpressionAttributeNames contains invalid key: Syntax error; key: "` + key + `"`)
		}
		if names[key] == "" {
			return nil, attr.Invalid(`ExpressionAttributeNames contains invalid value: One or more parameter values were invalid: Empty attribute name for key ` + key)
		}
	}
	if values == nil {
		return p, nil
	}
	p.values = values.Map
	if len(values.Map) == 0 {
		return nil, attr.Invalid("ExpressionAttributeValues must not be empty")
	}
	for _, key := range slices.Sorted(maps.Keys(values.Map)) {
		if !isPlaceholder(key, ':') {
			return nil, attr.Invalid(`ExpressionAttributeValues contains invalid key: Syntax error; key: "` + key + `"`)
		}
	}
	if values.Err != nil {
		return nil, attr.Invalid("ExpressionAttributeValues contains invalid value: " +
			values.Err.Error() + " for key " + values.ErrName)
	}
	return p, nil
}

func isPlaceholder(key string, mark byte) bool {
	return len(key) > 1 && key[0] == mark && run(key, 1, isWordByte) == len(key)
}

// CheckUnused refuses names and values that no checked expression used.
func (p *Params) CheckUnused() error {
	if keys := unused(p.names, p.usedNames); keys != "" {
		return attr.Invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {" + keys + "}")
	}
	if keys := unused(p.values, p.usedValues); keys != "" {
		return attr.Invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {" + keys + "}")
	}
	return nil
}

func unused[V any](given map[string]V, used map[string]bool) string {
	if len(given) == len(used) {
		return ""
	}
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(key string) bool { return used[key] })
	return strings.Join(keys, ", ")
}

// name is the attribute name that a step of a checked path stands for.
func (p *Params) name(step Step) string {
	if step.Name[0] == '#' {
		return p.names[step.Name]
	}
	return step.Name
}

// find looks a checked path up in item; nil is an attribute that is not there.
func (p *Params) find(path Path, item attr.Map) attr.Value {
	var v attr.Value = item
	for _, step := range path {
		switch in := v.(type) {
		case attr.Map:
			if step.Name == "" {
				return nil
			}
			v = in[p.name(step)]
		case attr.List:
			if step.Name != "" || step.Index >= len(in) {
				return nil
			}
			v = in[step.Index]
		default:
			return nil
		}
	}
	return v
}
