package attr

import "testing"

// Reading never panics, and what it takes is written as text that reads back to
// the same values, with the same text.
func FuzzInput(f *testing.F) {
	for _, text := range []string{
		`{"a":{"S":"text \u00e9\ud83d\ude00\n"},"b":{"N":"-1.50E+3"},"c":{"B":"AAEC"}}`,
		`{"a":{"BOOL":true},"b":{"NULL":false},"c":{"L":[{"M":{"x":{"L":[]}}}]}}`,
		`{"a":{"SS":["b","a"]},"b":{"NS":["2","1.0"]},"c":{"BS":["Ag==","AQ=="]}}`,
		`{"a":{"S":"x","Y":[1,{"z":"}"}]}, "b" : {"N":null}}`,
		`{"a":{"S":"x\`, `{"a":{"L":[{"L":[`, `null`, `{}`, ``,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var in Input
		if in.UnmarshalJSON([]byte(text)) != nil || in.Err != nil {
			return
		}
		written := string(in.Map.AppendJSON(nil))
		var back Map
		if err := back.UnmarshalJSON([]byte(written)); err != nil {
			t.Fatalf("%q was written as %q: %v", text, written, err)
		}
		if again := string(back.AppendJSON(nil)); again != written || in.Map != nil && !Equal(in.Map, back) {
			t.Fatalf("%q was written as %q, and that as %q", text, written, again)
		}
		if in.Map.ItemSize() < 0 || Depth(in.Map) > MaxDepth+1 {
			t.Fatalf("%q has size %d and depth %d", text, in.Map.ItemSize(), Depth(in.Map))
		}
	})
}
