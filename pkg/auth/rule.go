package auth

import (
	"bytes"
	"encoding/json"
	"slices"
)

// claims are what a JWT says, by name.
type claims map[string]json.RawMessage

// grants gives what the rules allow to somebody with the claims.
func (i Issuer) grants(c claims) []Grant {
	var grants []Grant
	for _, r := range i.Rules {
		if g, ok := r.grant(c); ok {
			grants = append(grants, g)
		}
	}
	return grants
}

func (r Rule) grant(c claims) (Grant, bool) {
	for name, want := range r.Claims {
		if !slices.ContainsFunc(texts(c[name]), func(text string) bool { return match(string(want), text) }) {
			return Grant{}, false
		}
	}
	g := Grant{Permissions: r.Permissions}
	if len(g.Permissions) == 0 {
		g.Permissions = DefaultPermissions()
	}
	for _, w := range r.Workspaces {
		pattern, ok := w.fill(c)
		if !ok {
			return Grant{}, false
		}
		g.Workspaces = append(g.Workspaces, pattern)
	}
	return g, true
}

// texts spells a JSON value: a string, number or boolean as itself, an array by
// its elements. What is empty, or has a structure, is nothing.
func texts(doc json.RawMessage) []string {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber() // an id of 20 digits must not be rounded
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	elements, ok := v.([]any)
	if !ok {
		elements = []any{v}
	}
	var all []string
	for _, e := range elements {
		switch e := e.(type) {
		case string:
			if e != "" {
				all = append(all, e)
			}
		case json.Number:
			all = append(all, e.String())
		case bool:
			all = append(all, map[bool]string{true: "true", false: "false"}[e])
		}
	}
	return all
}

// single spells a JSON value that is one string, number or boolean.
func single(doc json.RawMessage) (text string, ok bool) {
	all := texts(doc)
	if len(all) != 1 || bytes.HasPrefix(bytes.TrimSpace(doc), []byte("[")) {
		return "", false
	}
	return all[0], true
}
