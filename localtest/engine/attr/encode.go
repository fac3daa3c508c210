package attr

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
)

// MarshalJSON writes the map as a JSON object of attribute values.
func (v Map) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends the map as a JSON object of attribute values, by name in
// order.
func (v Map) AppendJSON(dst []byte) []byte {
	var few [32]string
	names := slices.AppendSeq(few[:0], maps.Keys(v))
	slices.Sort(names)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, name)
		dst = append(dst, ':')
		dst = v[name].appendJSON(dst)
	}
	return append(dst, '}')
}

func (v Map) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"M":`...)
	dst = v.AppendJSON(dst)
	return append(dst, '}')
}

func (v List) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"L":[`...)
	for i, elem := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = elem.appendJSON(dst)
	}
	return append(dst, "]}"...)
}

func (s Set) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"`...)
	dst = append(dst, s.typ...)
	dst = append(dst, `":[`...)
	for i, v := range s.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, scalarText(v))
	}
	return append(dst, "]}"...)
}

func (v String) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"S":`...)
	dst = appendText(dst, string(v))
	return append(dst, '}')
}

func (n Number) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"N":"`...)
	dst = append(dst, n.text...)
	return append(dst, `"}`...)
}

func (v Binary) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"B":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(v))
	return append(dst, `"}`...)
}

func (v Bool) appendJSON(dst []byte) []byte {
	if v {
		return append(dst, `{"BOOL":true}`...)
	}
	return append(dst, `{"BOOL":false}`...)
}

func (Null) appendJSON(dst []byte) []byte { return append(dst, `{"NULL":true}`...) }

// appendText appends a JSON string. Plain ASCII, the usual case, needs no
// escapes; the rest is left to encoding/json, which can't fail on a string.
func appendText(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text)
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}
