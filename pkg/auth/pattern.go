package auth

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Pattern names workspaces:
//
//	acme/infra/prod   this one
//	acme/*/prod       * stands for any text within one segment
//	acme/prod-*       also for a part of it: acme/prod-eu, acme/prod-, but not acme/prod-eu/x
//	acme/**           a last segment ** stands for one or more segments: acme/x, acme/x/y, but not acme
//	**                all workspaces
//
// Letters count as they are, and nothing but * is special.
type Pattern string

// Check refuses a pattern that no workspace can match, or that could mean
// something else than was meant.
func (p Pattern) Check() error {
	if p == "" {
		return errors.New("empty workspace pattern; ** stands for all workspaces")
	}
	front := strings.TrimSuffix("/"+string(p), "/**")
	if strings.Contains(front, "**") {
		return fmt.Errorf(`workspace pattern %q: "**" may stand at the end only, as a segment of its own, such as team/**`, string(p))
	}
	// A * stands where a letter might, so what is left is the form of a name.
	err := lockmodel.CheckWorkspace(strings.ReplaceAll(string(p), "*", "x"))
	if wrong, ok := errors.AsType[*lockmodel.FieldError](err); ok {
		return fmt.Errorf("workspace pattern %q: %s", string(p), wrong.Problem)
	}
	return err
}

// Match reports whether p names the workspace. What is no workspace's name is
// never matched.
func (p Pattern) Match(ws string) bool {
	return lockmodel.CheckWorkspace(ws) == nil && match(string(p), ws)
}

// literal takes the meaning from all that path.Match finds special but *.
var literal = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `?`, `\?`)

// match reports whether a pattern with the rules of Pattern matches a text.
func match(pattern, text string) bool {
	front, deep := strings.CutSuffix(pattern, "**")
	if deep && (front == "" || strings.HasSuffix(front, "/")) {
		head, rest := split(text, strings.Count(front, "/"))
		if rest == "" {
			return false
		}
		pattern, text = front, head
	}
	ok, err := path.Match(literal.Replace(pattern), text)
	return ok && err == nil
}

// split divides a text after its nth slash; all of a text with fewer is head.
func split(text string, n int) (head, rest string) {
	rest = text
	for range n {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return text, ""
		}
		rest = after
	}
	return strings.TrimSuffix(text, rest), rest
}
