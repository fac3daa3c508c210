package templates

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// plain gives a value as encoding/json would decode it, nil for null.
func plain(value cty.Value) any {
	kind := value.Type()
	switch {
	case value.IsNull():
		return nil
	case kind == cty.String:
		return value.AsString()
	case kind == cty.Bool:
		return value.True()
	case kind == cty.Number:
		return value.AsBigFloat().Text('f', -1)
	case kind.IsMapType(), kind.IsObjectType():
		all := map[string]any{}
		for it := value.ElementIterator(); it.Next(); {
			name, element := it.Element()
			all[name.AsString()] = plain(element)
		}
		return all
	}
	all := []any{}
	for it := value.ElementIterator(); it.Next(); {
		_, element := it.Element()
		all = append(all, plain(element))
	}
	return all
}

// functions are those of Terraform's that the module uses.
var functions = map[string]function.Function{
	"merge":            stdlib.MergeFunc,
	"concat":           stdlib.ConcatFunc,
	"jsonencode":       stdlib.JSONEncodeFunc,
	"tostring":         stdlib.MakeToFunc(cty.String),
	"toset":            stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"filebase64sha256": digest,
}

// digest stands for that of the package, which is not built yet.
var digest = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "path", Type: cty.String}},
	Type:   function.StaticReturnType(cty.String),
	Impl: func(arguments []cty.Value, _ cty.Type) (cty.Value, error) {
		return cty.StringVal("<digest of " + arguments[0].AsString() + ">"), nil
	},
})
