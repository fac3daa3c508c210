package templates

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// none is AWS::NoValue: the property that has it is not there.
type none struct{}

// evaluator evaluates a CloudFormation template.
type evaluator struct {
	settings   map[string]string // values of the parameters
	conditions map[string]bool
	name       func(logical, attribute string) string
}

// value evaluates a node: intrinsic functions give what they stand for.
func (e *evaluator) value(node ast.Node) (any, error) {
	switch n := node.(type) {
	case *ast.TagNode:
		return e.intrinsic(n)
	case *ast.MappingNode:
		return e.mapping(n.Values)
	case *ast.MappingValueNode:
		return e.mapping([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		all := []any{}
		for _, element := range n.Values {
			v, err := e.value(element)
			if err != nil {
				return nil, err
			}
			if v != (none{}) {
				all = append(all, v)
			}
		}
		return all, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case ast.ScalarNode:
		return n.GetValue(), nil
	}
	return nil, fmt.Errorf("%s: a node of type %s", node.GetPath(), node.Type())
}

func (e *evaluator) mapping(values []*ast.MappingValueNode) (any, error) {
	all := map[string]any{}
	for _, entry := range values {
		v, err := e.value(entry.Value)
		if err != nil {
			return nil, err
		}
		key := entry.Key.(ast.ScalarNode).GetValue()
		if v != (none{}) {
			all[fmt.Sprint(key)] = v
		}
	}
	return all, nil
}

// intrinsic evaluates a function in its short form.
func (e *evaluator) intrinsic(n *ast.TagNode) (any, error) {
	var arguments []any // !Ref AWS::NoValue among them
	var word string
	if sequence, ok := n.Value.(*ast.SequenceNode); ok {
		for _, element := range sequence.Values {
			v, err := e.value(element)
			if err != nil {
				return nil, err
			}
			arguments = append(arguments, v)
		}
	} else {
		v, err := e.value(n.Value)
		if err != nil {
			return nil, err
		}
		word = text(v)
	}
	switch function := n.Start.Value; {
	case function == "!Ref":
		return e.ref(word), nil
	case function == "!GetAtt":
		logical, attribute, _ := strings.Cut(word, ".")
		return e.name(logical, attribute), nil
	case function == "!Sub":
		return e.sub(word), nil
	case function == "!Equals" && len(arguments) == 2:
		return text(arguments[0]) == text(arguments[1]), nil
	case function == "!Not" && len(arguments) == 1:
		holds, ok := arguments[0].(bool)
		if !ok {
			return nil, fmt.Errorf("%s: !Not of %v", n.GetPath(), arguments[0])
		}
		return !holds, nil
	case function == "!If" && len(arguments) == 3:
		holds, known := e.conditions[text(arguments[0])]
		if !known {
			return nil, fmt.Errorf("%s: no condition %v", n.GetPath(), arguments[0])
		}
		if holds {
			return arguments[1], nil
		}
		return arguments[2], nil
	}
	return nil, fmt.Errorf("%s: %s can't be evaluated", n.GetPath(), n.Start.Value)
}

func (e *evaluator) ref(word string) any {
	switch word {
	case "AWS::NoValue":
		return none{}
	case "AWS::StackName":
		return "<name>"
	}
	if pseudo, ok := strings.CutPrefix(word, "AWS::"); ok {
		return "<" + strings.ToLower(pseudo) + ">"
	}
	if value, ok := e.settings[word]; ok {
		return value
	}
	return e.name(word, "")
}

var substitution = regexp.MustCompile(`\$\{([^}!]+)\}`)

func (e *evaluator) sub(word string) string {
	return substitution.ReplaceAllStringFunc(word, func(match string) string {
		variable := match[2 : len(match)-1]
		if logical, attribute, ok := strings.Cut(variable, "."); ok {
			return e.name(logical, attribute)
		}
		return text(e.ref(variable))
	})
}

// template is an evaluated template.
type template struct {
	globals   any
	resources map[string]resource
	defaults  map[string]string
}

// resource is one of a template, with the properties of its globals.
type resource struct {
	kind       string
	attributes map[string]any // all but the properties
	properties map[string]any
}

// readTemplate evaluates a template for settings, by the names of its
// parameters; those that aren't given have their defaults.
func readTemplate(source []byte, settings map[string]string, name func(logical, attribute string) string) (template, error) {
	file, err := parser.ParseBytes(source, 0)
	if err != nil {
		return template{}, err
	}
	if len(file.Docs) != 1 {
		return template{}, fmt.Errorf("%d documents", len(file.Docs))
	}
	sections := map[string]ast.Node{}
	root, ok := file.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return template{}, fmt.Errorf("not a template")
	}
	for _, section := range root.Values {
		sections[section.Key.String()] = section.Value
	}
	e := &evaluator{settings: map[string]string{}, conditions: map[string]bool{}, name: name}
	t := template{resources: map[string]resource{}, defaults: map[string]string{}}
	parameters, err := e.value(sections["Parameters"])
	if err != nil {
		return template{}, err
	}
	for parameter, definition := range object(parameters) {
		t.defaults[parameter] = text(at(definition, "Default"))
		e.settings[parameter] = t.defaults[parameter]
		if value, given := settings[parameter]; given {
			e.settings[parameter] = value
		}
	}
	conditions, err := e.value(sections["Conditions"])
	if err != nil {
		return template{}, err
	}
	for condition, holds := range object(conditions) {
		e.conditions[condition] = holds == true
	}
	if t.globals, err = e.value(sections["Globals"]); err != nil {
		return template{}, err
	}
	resources, err := e.value(sections["Resources"])
	if err != nil {
		return template{}, err
	}
	for logical, definition := range object(resources) {
		r := resource{kind: text(at(definition, "Type")), attributes: object(definition), properties: object(at(definition, "Properties"))}
		condition, conditional := r.attributes["Condition"]
		if !conditional || e.conditions[text(condition)] {
			t.resources[logical] = r
		}
	}
	return t, nil
}
