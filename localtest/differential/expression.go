package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// expressions writes the expressions of one request and collects the
// placeholders that they use. Mostly they fit the item that the request meets,
// for what does not fit ends early and shows little.
type expressions struct {
	*draws
	item    object // nil where there is none, or many
	names   map[string]string
	values  object
	targets map[string]bool // attributes that the update changes
}

func newExpressions(g *draws, item object) *expressions {
	return &expressions{draws: g, item: item, names: map[string]string{}, values: object{}, targets: map[string]bool{}}
}

// fill puts the placeholders into a request, once in a while one too many or
// too few.
func (x *expressions) fill(request object) {
	if x.oneIn(60) {
		x.names["#unused"] = "a"
	}
	if x.oneIn(60) {
		x.values[":unused"] = object{"S": "a"}
	}
	if len(x.names) > 0 {
		if x.oneIn(60) {
			delete(x.names, slices.Min(slices.Collect(maps.Keys(x.names))))
		}
		request["ExpressionAttributeNames"] = x.names
	}
	if len(x.values) > 0 {
		if x.oneIn(60) {
			delete(x.values, slices.Min(slices.Collect(maps.Keys(x.values))))
		}
		request["ExpressionAttributeValues"] = x.values
	}
}

// value is a placeholder for v.
func (x *expressions) literal(v object) string {
	name := fmt.Sprintf(":v%d", len(x.values))
	x.values[name] = v
	return name
}

func (x *expressions) anyValue() string { return x.literal(x.value()) }

func (x *expressions) typedValue(types ...string) string {
	if x.oneIn(12) {
		return x.anyValue()
	}
	return x.literal(x.valueOf(pick(x.draws, types...), 1))
}

// name is an attribute's name or a placeholder for it.
func (x *expressions) name(name string) string {
	raw := x.below(3) > 0
	if name == "status" {
		raw = x.oneIn(20)
	}
	if raw {
		return name
	}
	x.names["#"+name] = name
	return "#" + name
}

// path leads to an attribute, or into a document.
func (x *expressions) path() string {
	if x.oneIn(60) {
		return pick(x.draws, "k", "k.x", "a..x", "a[", "a[-1]", "a[x]", "#", "1a", "a.#u", "_", "é")
	}
	return x.into(pick(x.draws, attributes...))
}

// into leads to an attribute or, where it is a document, rather into that.
func (x *expressions) into(attribute string) string {
	value, _ := x.item[attribute].(object)
	return x.name(attribute) + x.inside(value)
}

// inside leads on from a value, nil if it is missing.
func (x *expressions) inside(value object) string {
	m, isMap := value["M"].(object)
	l, isList := value["L"].([]any)
	switch on := x.below(12); {
	case isMap && on > 6:
		name := pick(x.draws, "x", "y")
		next, _ := m[name].(object)
		return "." + name + x.inside(next)
	case isList && on > 6:
		index := x.below(3)
		var next object
		if index < len(l) {
			next, _ = l[index].(object)
		}
		return fmt.Sprintf("[%d]", index) + x.inside(next)
	case on == 6:
		return pick(x.draws, ".x", "[0]", "[1].y")
	}
	return ""
}

// pathTo leads to an attribute that is of one of the types, if the item has one.
func (x *expressions) pathTo(types ...string) string {
	var fit []string
	for _, attribute := range attributes {
		if value, _ := x.item[attribute].(object); slices.ContainsFunc(types, func(t string) bool { return value[t] != nil }) {
			fit = append(fit, attribute)
		}
	}
	if len(fit) == 0 || x.oneIn(8) {
		return x.path()
	}
	return x.name(pick(x.draws, fit...))
}

// near is a value for comparison with an attribute: often the one that it has.
func (x *expressions) near(attribute string) string {
	if value, ok := x.item[attribute].(object); ok && x.below(3) > 0 {
		if typ := slices.Collect(maps.Keys(value))[0]; x.oneIn(2) {
			return x.literal(x.valueOf(typ, 1))
		}
		return x.literal(value)
	}
	return x.anyValue()
}

// target leads to what an update changes: rarely to what it changes elsewhere.
func (x *expressions) target(types ...string) string {
	if x.oneIn(12) {
		return x.path()
	}
	var free, fit []string
	for _, attribute := range attributes {
		if x.targets[attribute] {
			continue
		}
		free = append(free, attribute)
		value, _ := x.item[attribute].(object)
		if value == nil || len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return value[t] != nil }) {
			fit = append(fit, attribute)
		}
	}
	switch {
	case len(free) == 0:
		return x.path()
	case len(fit) > 0 && !x.oneIn(8):
		free = fit
	}
	attribute := pick(x.draws, free...)
	x.targets[attribute] = true
	if len(types) > 0 {
		return x.name(attribute)
	}
	return x.into(attribute)
}

// keyword is a keyword as most write it, or not.
func (x *expressions) keyword(word string) string {
	if x.oneIn(30) {
		return strings.ToLower(word)
	}
	return word
}

func (x *expressions) list(n int, one func() string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = one()
	}
	return strings.Join(all, ", ")
}

// projection names one to three paths.
func (x *expressions) projection() string { return x.list(1+x.below(3), x.path) }
