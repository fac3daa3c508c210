package expr

import (
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Params are what the placeholders of a request's expressions stand for. They
// note which ones the checks came across.
type Params struct {
	names  map[string]string
	values attr.Map
	used   map[string]bool // by placeholder; its first character tells names from values
}

// NewParams checks the placeholders themselves. A nil names or values was not
// given in the request; an empty one is an error.
func NewParams(names map[string]string, values *attr.Input) (*Params, error) {
	p := &Params{names: names, used: map[string]bool{}}
	if names != nil {
		if err := checkKeys("ExpressionAttributeNames", names, '#'); err != nil {
			return nil, err
		}
		for key, name := range names {
			if name == "" {
				return nil, invalidf("ExpressionAttributeNames contains invalid value: "+
					"One or more parameter values were invalid: Empty attribute name for key %s", key)
			}
		}
	}
	if values == nil {
		return p, nil
	}
	p.values = values.Map
	if err := checkKeys("ExpressionAttributeValues", values.Map, ':'); err != nil {
		return nil, err
	}
	if values.Err != nil {
		return nil, invalidf("ExpressionAttributeValues contains invalid value: %v for key %s", values.Err, values.ErrName)
	}
	return p, nil
}

// checkKeys refuses a map that is empty or has keys that are no placeholders;
// it names the first of those.
func checkKeys[V any](parameter string, placeholders map[string]V, mark byte) error {
	if len(placeholders) == 0 {
		return invalidf("%s must not be empty", parameter)
	}
	wrong := func(key string) bool { return !isPlaceholder(key, mark) }
	if keys := pick(placeholders, wrong); len(keys) > 0 {
		return invalidf(`%s contains invalid key: Syntax error; key: "%s"`, parameter, keys[0])
	}
	return nil
}

// pick returns the keys that are wanted, in order.
func pick[V any](m map[string]V, wanted func(string) bool) []string {
	var keys []string
	for key := range m {
		if wanted(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func isPlaceholder(key string, mark byte) bool {
	return len(key) > 1 && key[0] == mark && run(key, 1, isWordByte) == len(key)
}

// CheckUnused refuses names and values that no checked expression used.
func (p *Params) CheckUnused() error {
	unused := func(key string) bool { return !p.used[key] }
	const message = "Value provided in %s unused in expressions: keys: {%s}"
	if keys := pick(p.names, unused); len(keys) > 0 {
		return invalidf(message, "ExpressionAttributeNames", strings.Join(keys, ", "))
	}
	if keys := pick(p.values, unused); len(keys) > 0 {
		return invalidf(message, "ExpressionAttributeValues", strings.Join(keys, ", "))
	}
	return nil
}

// name is the attribute name that a step of a checked path stands for.
func (p *Params) name(step Step) string {
	if step.isPlaceholder() {
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
