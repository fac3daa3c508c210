package ddbstore

import "testing"

func TestWithSerial(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"version":4,"serial":1,"lineage":"l"}`:                       `{"version":4,"serial":12,"lineage":"l"}`,
		"{\n  \"serial\":   1234 ,\n  \"outputs\": {\"serial\": 5}\n}": "{\n  \"serial\":   12 ,\n  \"outputs\": {\"serial\": 5}\n}",
		`{"outputs":{"serial":5},"serial":0}`:                          `{"outputs":{"serial":5},"serial":12}`,
		`{"outputs":{"serial":5}}`:                                     `{"outputs":{"serial":5}}`,
		`opaque`:                                                       `opaque`,
		``:                                                             ``,
	} {
		if got := withSerial([]byte(body), 12); string(got) != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
