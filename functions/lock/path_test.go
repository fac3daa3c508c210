package main

import "testing"

func TestAPIPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, template string
		params         map[string]string
		stage          string
		want           string
	}{
		{path: "/v1/acquire", want: "/v1/acquire"},
		{path: "/v1/acquire", stage: "$default", want: "/v1/acquire"},
		{path: "/prod/v1/acquire", stage: "prod", want: "/v1/acquire"},
		{path: "/prod", stage: "prod", want: "/"},
		{path: "/prod/", stage: "prod", want: "/"},
		{path: "/production/x", stage: "prod", want: "/production/x"}, // not that stage
		{path: "/prod/prod/x", stage: "prod", want: "/prod/x"},        // once
		{path: "/prod//x", stage: "prod", want: "//x"},                // for the service to refuse
		{path: "", stage: "prod", want: ""},
		// A route's path says it without the stage.
		{path: "/v1/acquire", template: "/v1/acquire", stage: "v1", want: "/v1/acquire"},
		{path: "/v1/v1/acquire", template: "/v1/acquire", stage: "v1", want: "/v1/acquire"},
		{path: "/a/b/v1/acquire", template: "/v1/acquire", want: "/v1/acquire"},
		{path: "/x/v1/locks/a/b", template: "/v1/locks/{ws+}", params: map[string]string{"ws": "a/b"}, want: "/v1/locks/a/b"},
		{path: "/x/q/one/end", template: "/q/{n}/end", params: map[string]string{"n": "one"}, want: "/q/one/end"},
		// Where it doesn't fit, the stage has to do.
		{path: "/prod/v1/acquire/", template: "/v1/acquire", stage: "prod", want: "/v1/acquire/"},
		{path: "/prod/a b", template: "/{proxy+}", params: map[string]string{"proxy": "a%20b"}, stage: "prod", want: "/a b"},
		{path: "/prod/a", template: "/{proxy+}", stage: "prod", want: "/a"},
		{path: "/prod/a", template: "$default", stage: "prod", want: "/a"},
	} {
		if got := apiPath(test.path, test.template, test.params, test.stage); got != test.want {
			t.Errorf("apiPath(%q, %q, %v, %q) = %q, want %q", test.path, test.template, test.params, test.stage, got, test.want)
		}
	}
}
