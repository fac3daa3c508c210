package main

import "strings"

// apiPath returns path without what the gateway put before the path of the
// API itself. When that is:
//
//   - an HTTP API has "/<stage>" in front for every stage but $default, on its
//     own domain and on a custom one;
//   - a REST API leaves the stage out of path but has the base path of a
//     custom domain's mapping in it;
//   - a function URL has nothing in front.
//
// The route that the gateway matched tells without guessing: template is that
// route's path, such as /v1/locks/{ws+}, and params are the values of its
// variables; where the two make the end of path, that end is the answer. Only
// a route without a path ($default) leaves the stage's name to go by, "" where
// the stage is never in the path. So an API whose stage is called v1 works.
func apiPath(path, template string, params map[string]string, stage string) string {
	if own, ok := expand(template, params); ok && strings.HasSuffix(path, own) {
		return own
	}
	if stage == "" || stage == "$default" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "/"+stage); ok && (rest == "" || rest[0] == '/') {
		return "/" + strings.TrimPrefix(rest, "/")
	}
	return path
}

// expand fills the variables of a route's path. It reports false for a route
// without a path and for a variable without a value.
func expand(template string, params map[string]string) (string, bool) {
	if !strings.HasPrefix(template, "/") {
		return "", false
	}
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		name, isVariable := strings.CutPrefix(segment, "{")
		if !isVariable {
			continue
		}
		value, ok := params[strings.TrimSuffix(strings.TrimSuffix(name, "}"), "+")]
		if !ok {
			return "", false
		}
		segments[i] = value
	}
	return strings.Join(segments, "/"), true
}
