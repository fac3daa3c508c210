package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// invalidf is an attr.Invalid with a formatted message.
func invalidf(format string, args ...any) error {
	return attr.Invalid(fmt.Sprintf(format, args...))
}

// resolve checks a path's names and gives the path with every placeholder
// replaced: path itself if there is none.
func (p *Params) resolve(path Path) (Path, error) {
	resolved := path
	if slices.ContainsFunc(path, Step.isPlaceholder) {
		resolved = slices.Clone(path)
	}
	for i, step := range path {
		switch {
		case step.Name == "":
		case step.isPlaceholder():
			name, ok := p.names[step.Name]
			if !ok {
				return nil, invalidf("An expression attribute name used in the document path is not defined; "+
					"attribute name: %s", step.Name)
			}
			p.used[step.Name] = true
			resolved[i].Name = name
		case isReserved(step.Name):
			return nil, invalidf("Attribute name is a reserved keyword; reserved keyword: %s", step.Name)
		}
	}
	return resolved, nil
}

// useValue checks that a value is defined.
func (p *Params) useValue(ref ValueRef) (attr.Value, error) {
	v, ok := p.values[string(ref)]
	if !ok {
		return nil, invalidf("An expression attribute value used in expression is not defined; "+
			"attribute value: %s", string(ref))
	}
	p.used[string(ref)] = true
	return v, nil
}

// operandType is the type of an operand as far as it is known without an item:
// that of a given value or of a function's result, "" for a path.
func (p *Params) operandType(o Operand) attr.Type {
	switch o := o.(type) {
	case ValueRef:
		return p.values[string(o)].Type()
	case *Call:
		switch o.Name {
		case "size":
			return attr.TypeNumber
		case "list_append":
			return attr.TypeList
		}
	case *Sum:
		return attr.TypeNumber
	}
	return ""
}

// requireTypes refuses operands that are known to be of another type than those
// allowed; kind is what name is called in the message.
func (p *Params) requireTypes(kind, name string, operands []Operand, allowed ...attr.Type) error {
	for _, o := range operands {
		if t := p.operandType(o); t != "" && !slices.Contains(allowed, t) {
			return invalidf("Incorrect operand type for operator or function; %s: %s, operand type: %s", kind, name, t)
		}
	}
	return nil
}

// What the message calls an operator; functions and arithmetic go by the longer
// name.
const (
	kindOperator = "operator"
	kindFunction = "operator or function"
)

// Functions that are operands, by the kind of expression they belong to.
var (
	conditionOperands = []string{"size"}
	updateOperands    = []string{"if_not_exists", "list_append"}
)

// unknownFunction is the error for a function that has no place in a kind of
// expression: one of the other kind, or none at all.
func unknownFunction(call *Call, kind string, elsewhere ...string) error {
	if slices.Contains(elsewhere, call.Name) {
		return invalidf("The function is not allowed in %s expression; function: %s", kind, call.Name)
	}
	return invalidf("Invalid function name; function: %s", call.Name)
}

func misused(call *Call) error {
	return invalidf("The function is not allowed to be used this way in an expression; function: %s", call.Name)
}

func requirePath(function string, o Operand) error {
	if _, ok := o.(Path); !ok {
		return invalidf("Operator or function requires a document path; operator or function: %s", function)
	}
	return nil
}

func requireCount(function string, args []Operand, n int) error {
	if len(args) != n {
		return invalidf("Incorrect number of operands for operator or function; "+
			"operator or function: %s, number of operands: %d", function, len(args))
	}
	return nil
}

// describe is how messages show a resolved path: [a, [0], b].
func describe(path Path) string {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = step.Name
		if step.Name == "" {
			steps[i] = fmt.Sprintf("[%d]", step.Index)
		}
	}
	return "[" + strings.Join(steps, ", ") + "]"
}

// checkOverlap refuses two paths of which one leads into what the other names,
// or which take one attribute for a map and for a list.
func checkOverlap(paths []Path) error {
	for i, b := range paths {
		for _, a := range paths[:i] {
			shared := 0
			for shared < len(a) && shared < len(b) && a[shared] == b[shared] {
				shared++
			}
			problem := ""
			switch {
			case shared == len(a) || shared == len(b):
				problem = "overlap"
			case (a[shared].Name == "") != (b[shared].Name == ""):
				problem = "conflict"
			default:
				continue
			}
			return invalidf("Two document paths %s with each other; must remove or rewrite one of these paths; "+
				"path one: %s, path two: %s", problem, describe(a), describe(b))
		}
	}
	return nil
}

// CheckProjection checks a projection and returns its paths resolved.
func (p *Params) CheckProjection(projection Projection) ([]Path, error) {
	paths := make([]Path, len(projection))
	for i, path := range projection {
		var err error
		if paths[i], err = p.resolve(path); err != nil {
			return nil, err
		}
	}
	return paths, checkOverlap(paths)
}
