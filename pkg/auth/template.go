package auth

import (
	"fmt"
	"regexp"
	"strings"
)

// Template is a Pattern that may have claims in it, in braces:
//
//	{repository}/**     for repository acme/infra: acme/infra/**
//	deploy/env-{env}    for env prod: deploy/env-prod
//
// What a claim says is taken as it is, so a * in it is no pattern: no workspace's
// name has one, and the rule does not match. Two different JWTs must not come to
// the same name by where a part of it ends, so a value with slashes fits only the
// first claim of a template, and only if that is a segment of its own; a segment
// has no more than one claim; and where any segments may follow (**), no other
// claim comes after such a first one. A first one alone, before **, has what lies
// below it: of acme, what acme/infra has.
type Template string

// variable is a claim's place in a template.
var variable = regexp.MustCompile(`\{([A-Za-z0-9_.:-]+)\}`)

// Check refuses a template that no claims could make a pattern of.
func (t Template) Check() error {
	for segment := range strings.SplitSeq(string(t), "/") {
		switch claims := len(variable.FindAllString(segment, -1)); {
		case strings.ContainsAny(variable.ReplaceAllString(segment, ""), "{}"):
			return fmt.Errorf("%q: want the name of a claim in braces, such as {repository}/**", string(t))
		case claims > 1:
			return fmt.Errorf("%q: more than one claim in the segment %q, where nobody could tell one's end from the other's beginning", string(t), segment)
		case claims == 1 && strings.Contains(segment, "*"):
			return fmt.Errorf("%q: a claim and * in the segment %q", string(t), segment)
		}
	}
	claims := variable.FindAllStringSubmatchIndex(string(t), -1)
	if strings.HasSuffix(string(t), "**") && len(claims) > 1 && t.alone(claims[0]) {
		return fmt.Errorf("%q: more than one claim, and ** at the end, where one JWT's workspaces could be among another's; end it with /*", string(t))
	}
	return Pattern(variable.ReplaceAllString(string(t), "x")).Check()
}

// alone reports whether the claim at a place is a segment of its own.
func (t Template) alone(at []int) bool {
	return (at[0] == 0 || t[at[0]-1] == '/') && (at[1] == len(t) || t[at[1]] == '/')
}

// fill makes the pattern for somebody with the claims; it is not ok where a
// claim is missing or does not fit.
func (t Template) fill(c claims) (p Pattern, ok bool) {
	text := string(t)
	var filled strings.Builder
	end := 0
	for n, at := range variable.FindAllStringSubmatchIndex(text, -1) {
		value, ok := single(c[text[at[2]:at[3]]])
		if !ok || strings.Contains(value, "*") || strings.Contains(value, "/") && (n > 0 || !t.alone(at)) {
			return "", false
		}
		filled.WriteString(text[end:at[0]])
		filled.WriteString(value)
		end = at[1]
	}
	filled.WriteString(text[end:])
	p = Pattern(filled.String())
	return p, p.Check() == nil
}
