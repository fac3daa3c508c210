package templates

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// module is an evaluated Terraform module.
type module struct {
	defaults  map[string]string
	instances []instance
	documents map[string][]statement // of data "aws_iam_policy_document"
}

// instance is a resource of a module, one of several where it has for_each.
type instance struct {
	kind, name, key string
	body            map[string]any // attributes as values, blocks as lists of bodies
}

// attributes are what resources refer to of each other.
var attributes = []string{"id", "arn", "name", "function_name", "invoke_arn", "execution_arn", "stream_arn"}

// readModule evaluates the *.tf files of a folder for settings, by the names of
// its variables; those that aren't given have their defaults. A resource's
// attribute is what name says.
func readModule(files fs.FS, settings map[string]string, name func(address, attribute string) string) (module, error) {
	paths, err := fs.Glob(files, "*.tf")
	if err != nil {
		return module{}, err
	}
	var blocks hclsyntax.Blocks
	for _, path := range paths {
		source, err := fs.ReadFile(files, path)
		if err != nil {
			return module{}, err
		}
		file, diagnostics := hclsyntax.ParseConfig(source, path, hcl.InitialPos)
		if diagnostics.HasErrors() {
			return module{}, diagnostics
		}
		blocks = append(blocks, file.Body.(*hclsyntax.Body).Blocks...)
	}
	m := module{defaults: map[string]string{}, documents: map[string][]statement{}}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions}
	if ctx.Variables["var"], err = m.variables(blocks, settings); err != nil {
		return module{}, err
	}
	references(blocks, ctx, name)
	if err := locals(blocks, ctx); err != nil {
		return module{}, err
	}
	for _, b := range blocks {
		switch {
		case b.Type == "data" && b.Labels[0] == "aws_iam_policy_document":
			body, err := evaluate(b.Body, ctx)
			if err != nil {
				return module{}, err
			}
			m.documents["<document "+b.Labels[1]+">"] = hclStatements(body)
		case b.Type == "resource":
			if err := m.expand(b, ctx); err != nil {
				return module{}, err
			}
		}
	}
	return m, nil
}

// variables gives the value of "var".
func (m *module) variables(blocks hclsyntax.Blocks, settings map[string]string) (cty.Value, error) {
	values := map[string]cty.Value{}
	for _, b := range blocks {
		if b.Type != "variable" {
			continue
		}
		variable := b.Labels[0]
		value := cty.StringVal("<" + variable + ">")
		if attribute, ok := b.Body.Attributes["default"]; ok {
			var diagnostics hcl.Diagnostics
			if value, diagnostics = attribute.Expr.Value(nil); diagnostics.HasErrors() {
				return cty.NilVal, diagnostics
			}
			m.defaults[variable] = text(plain(value))
		}
		if setting, given := settings[variable]; given {
			converted, err := convert.Convert(cty.StringVal(setting), value.Type())
			if err != nil {
				return cty.NilVal, fmt.Errorf("%s: %w", variable, err)
			}
			value = converted
		}
		values[variable] = value
	}
	return cty.ObjectVal(values), nil
}

// references gives the context what resources and data can be referred to as.
func references(blocks hclsyntax.Blocks, ctx *hcl.EvalContext, name func(address, attribute string) string) {
	kinds := map[string]map[string]cty.Value{}
	data := map[string]map[string]cty.Value{"aws_region": {"current": cty.ObjectVal(map[string]cty.Value{"region": cty.StringVal("<region>")})}}
	for _, b := range blocks {
		switch {
		case b.Type == "resource":
			members := map[string]cty.Value{}
			for _, attribute := range attributes {
				members[attribute] = cty.StringVal(name(strings.Join(b.Labels, "."), attribute))
			}
			value := cty.ObjectVal(members)
			if b.Body.Attributes["count"] != nil {
				value = cty.TupleVal([]cty.Value{value})
			}
			put(kinds, b.Labels, value)
		case b.Type == "data" && b.Labels[0] == "aws_iam_policy_document":
			put(data, b.Labels, cty.ObjectVal(map[string]cty.Value{"json": cty.StringVal("<document " + b.Labels[1] + ">")}))
		}
	}
	for kind, names := range kinds {
		ctx.Variables[kind] = cty.ObjectVal(names)
	}
	all := map[string]cty.Value{}
	for kind, names := range data {
		all[kind] = cty.ObjectVal(names)
	}
	ctx.Variables["data"] = cty.ObjectVal(all)
}

func put(kinds map[string]map[string]cty.Value, labels []string, value cty.Value) {
	if kinds[labels[0]] == nil {
		kinds[labels[0]] = map[string]cty.Value{}
	}
	kinds[labels[0]][labels[1]] = value
}

// locals evaluates the local values, which may refer to each other in any order.
func locals(blocks hclsyntax.Blocks, ctx *hcl.EvalContext) error {
	left, values := map[string]*hclsyntax.Attribute{}, map[string]cty.Value{}
	for _, b := range blocks {
		if b.Type == "locals" {
			maps.Copy(left, b.Body.Attributes)
		}
	}
	for len(left) > 0 {
		var problem hcl.Diagnostics
		before := len(left)
		for _, name := range slices.Sorted(maps.Keys(left)) {
			ctx.Variables["local"] = cty.ObjectVal(values)
			value, diagnostics := left[name].Expr.Value(ctx)
			if diagnostics.HasErrors() {
				problem = diagnostics
				continue
			}
			values[name] = value
			delete(left, name)
		}
		if len(left) == before {
			return problem
		}
	}
	ctx.Variables["local"] = cty.ObjectVal(values)
	return nil
}

// expand evaluates a resource, as often as count or for_each say.
func (m *module) expand(b *hclsyntax.Block, ctx *hcl.EvalContext) error {
	one := func(ctx *hcl.EvalContext, key string) error {
		body, err := evaluate(b.Body, ctx)
		m.instances = append(m.instances, instance{b.Labels[0], b.Labels[1], key, body})
		return err
	}
	if count := b.Body.Attributes["count"]; count != nil {
		value, diagnostics := count.Expr.Value(ctx)
		if diagnostics.HasErrors() {
			return diagnostics
		}
		if text(plain(value)) == "0" {
			return nil
		}
		return one(ctx, "")
	}
	forEach := b.Body.Attributes["for_each"]
	if forEach == nil {
		return one(ctx, "")
	}
	all, diagnostics := forEach.Expr.Value(ctx)
	if diagnostics.HasErrors() {
		return diagnostics
	}
	for it := all.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if all.Type().IsSetType() {
			key = value
		}
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
		if err := one(inner, key.AsString()); err != nil {
			return err
		}
	}
	return nil
}

// evaluate gives a body's attributes and blocks, without what is Terraform's own.
func evaluate(body *hclsyntax.Body, ctx *hcl.EvalContext) (map[string]any, error) {
	all := map[string]any{}
	for name, attribute := range body.Attributes {
		if slices.Contains([]string{"count", "for_each", "depends_on"}, name) {
			continue
		}
		value, diagnostics := attribute.Expr.Value(ctx)
		if diagnostics.HasErrors() {
			return nil, diagnostics
		}
		if v := plain(value); v != nil {
			all[name] = v
		}
	}
	for _, b := range body.Blocks {
		inner, err := evaluate(b.Body, ctx)
		if err != nil {
			return nil, err
		}
		all[b.Type] = append(each(all[b.Type]), inner)
	}
	return all, nil
}

// hclStatements reads a policy document.
func hclStatements(body map[string]any) []statement {
	var all []statement
	for _, s := range each(body["statement"]) {
		read := statement{actions: list(at(s, "actions")), resources: list(at(s, "resources"))}
		for _, p := range each(at(s, "principals")) {
			read.resources = list(at(p, "identifiers"))
		}
		for _, c := range each(at(s, "condition")) {
			read.condition = text(at(c, "test")) + " " + text(at(c, "variable")) + " " + strings.Join(list(at(c, "values")), " ")
		}
		if effect := at(s, "effect"); effect != nil && effect != "Allow" {
			read.actions = []string{text(effect) + " " + text(at(s, "actions"))}
		}
		all = append(all, read)
	}
	return all
}
