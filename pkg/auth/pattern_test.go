package auth

import (
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

func TestPatternMatch(t *testing.T) {
	t.Parallel()
	for pattern, cases := range map[Pattern]struct{ yes, no []string }{
		"prod":        {[]string{"prod"}, []string{"prod/x", "prod2", "pro", "Prod", "x/prod"}},
		"prod*":       {[]string{"prod", "prod2", "prod.eu"}, []string{"prod/x", "prod/", "aprod"}},
		"*":           {[]string{"a", "a.b"}, []string{"a/b", "", "..", "a b"}},
		"*/*":         {[]string{"a/b"}, []string{"a", "a/b/c", "a/.."}},
		"acme/*/prod": {[]string{"acme/x/prod"}, []string{"acme/prod", "acme/x/y/prod", "acme/x/prod/y"}},
		"team/**":     {[]string{"team/x", "team/x/y", "team/x/y/z"}, []string{"team", "team/", "teamx/y", "x/team/y", "team/../x", "team//x"}},
		"t*/**":       {[]string{"team/x", "t/x/y"}, []string{"team", "xt/x"}},
		"*/x/**":      {[]string{"a/x/b", "a/x/b/c"}, []string{"a/x", "a/y/b", "a/b/x/c", "x/b"}},
		"**":          {[]string{"a", "a/b/c"}, []string{"", "a//b", "#tokens", "..", "a\nb"}},
		"a[b]c":       {nil, []string{"abc", "a[b]c"}}, // never checked, and matches nothing else all the same
		"a?c":         {nil, []string{"abc", "a?c"}},
		`a\bc`:        {nil, []string{"abc"}},
		"":            {nil, []string{"", "a"}},
	} {
		for _, ws := range cases.yes {
			if !pattern.Match(ws) {
				t.Errorf("%s does not match %s", pattern, ws)
			}
		}
		for _, ws := range cases.no {
			if pattern.Match(ws) {
				t.Errorf("%s matches %q", pattern, ws)
			}
		}
	}
}

func TestPatternCheck(t *testing.T) {
	t.Parallel()
	for _, p := range []Pattern{"a", "a/b", "*", "**", "a/**", "*/a*b/**", ".a", "a.*"} {
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	for pattern, want := range map[Pattern]string{
		"":                                 "empty",
		"**/a":                             "at the end only",
		"a**":                              "at the end only",
		"a/**b":                            "at the end only",
		"a/**/b":                           "at the end only",
		"**/**":                            "at the end only",
		"***":                              "at the end only",
		"a//b":                             "no empty segment",
		"/a":                               "no empty segment",
		"a/":                               "no empty segment",
		"../a":                             `no "." or ".." segment`,
		"a/./**":                           `no "." or ".." segment`,
		"a b":                              "only letters",
		"a[bc]":                            "only letters",
		"a?":                               "only letters",
		`a\*`:                              "only letters",
		"#tokens":                          "only letters",
		"{repository}":                     "only letters",
		Pattern(strings.Repeat("a", 1000)): "longer than",
	} {
		if err := pattern.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", pattern, err, want)
		}
	}
}

// FuzzPattern compares Match with a slow twin that knows nothing of path.Match.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{{"team/**", "team/x"}, {"*a*/b", "aa/b"}, {"**", "x"}, {"a/*-*/**", "a/b-c/d"}, {"a[", "a["}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, ws string) {
		if len(pattern) > 60 || len(ws) > 60 {
			return // the twin is slow
		}
		p := Pattern(pattern)
		if p.Check() != nil {
			return
		}
		want := lockmodel.CheckWorkspace(ws) == nil && twin(strings.Split(pattern, "/"), strings.Split(ws, "/"))
		if got := p.Match(ws); got != want {
			t.Errorf("%q on %q: %v, want %v", pattern, ws, got, want)
		}
	})
}

func twin(pattern, ws []string) bool {
	switch {
	case len(pattern) == 1 && pattern[0] == "**":
		return len(ws) > 0
	case len(pattern) == 0 || len(ws) == 0:
		return len(pattern) == len(ws)
	}
	return twinSegment(pattern[0], ws[0]) && twin(pattern[1:], ws[1:])
}

func twinSegment(pattern, text string) bool {
	switch {
	case pattern == "":
		return text == ""
	case pattern[0] == '*':
		return twinSegment(pattern[1:], text) || text != "" && twinSegment(pattern, text[1:])
	}
	return text != "" && text[0] == pattern[0] && twinSegment(pattern[1:], text[1:])
}
