package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
)

// Issuer is a source of JWTs that a deployment trusts, for what its rules say.
type Issuer struct {
	// URL is the issuer's name, exactly as the claim "iss" spells it. Its keys
	// are found by OpenID Connect discovery. It is https, or http on loopback.
	URL string `json:"issuer"`
	// Audience must be, or be among, the claim "aud". Whoever asks the issuer
	// for a JWT names it, so it should be this deployment's alone.
	Audience string `json:"audience"`
	// Rules say what a JWT allows: what each of those that match it allows.
	Rules []Rule `json:"rules"`
}

// Rule turns claims into permissions on workspaces.
type Rule struct {
	// Claims must all be there and match. There must be one at least that not
	// any value matches: some issuers give JWTs to everybody.
	Claims map[string]Value `json:"claims"`
	// Workspaces are those that the rule is for.
	Workspaces []Template `json:"workspaces"`
	// Permissions are what the rule allows there; DefaultPermissions if empty.
	Permissions []Permission `json:"permissions"`
}

// Value is what a claim must be: this text, where * stands for any text without
// a slash, and a last ** after a slash, or alone, for any text at all. A number
// or boolean is compared as JSON spells it. Of an array, one element must match.
type Value string

// UnmarshalJSON reads a string, number or boolean. Others are as if empty, which
// is refused where the claim's name is known.
func (v *Value) UnmarshalJSON(doc []byte) error {
	text, _ := single(doc)
	*v = Value(text)
	return nil
}

// ParseIssuers reads a JSON array of issuers:
//
//	[{"issuer": "https://token.actions.githubusercontent.com",
//	  "audience": "statelock",
//	  "rules": [{"claims": {"repository": "acme/infra", "ref": "refs/heads/main"},
//	             "workspaces": ["{repository}/**"],
//	             "permissions": ["read", "acquire", "renew", "release_lock", "write_state"]}]}]
//
// Its errors name the field.
func ParseIssuers(doc []byte) ([]Issuer, error) {
	var issuers []Issuer
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&issuers); err != nil {
		return nil, fmt.Errorf("issuers: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("issuers: more follows after the array")
	}
	return issuers, checkIssuers(issuers)
}

func checkIssuers(issuers []Issuer) error {
	var errs []error
	seen := map[string]bool{}
	for n, i := range issuers {
		at := fmt.Sprintf("issuers[%d]", n)
		if seen[i.URL] {
			errs = append(errs, fmt.Errorf("%s.issuer: %s is there already; put its rules together", at, i.URL))
		}
		seen[i.URL] = true
		errs = append(errs, i.check(at))
	}
	return errors.Join(errs...)
}

func (i Issuer) check(at string) error {
	var errs []error
	if err := checkURL(i.URL); err != nil {
		errs = append(errs, fmt.Errorf("%s.issuer: %w", at, err))
	}
	if i.Audience == "" {
		errs = append(errs, fmt.Errorf("%s.audience: missing; the audience that jobs ask the issuer for", at))
	}
	if len(i.Rules) == 0 {
		errs = append(errs, fmt.Errorf("%s.rules: missing; without rules nothing is allowed", at))
	}
	for n, r := range i.Rules {
		errs = append(errs, r.check(fmt.Sprintf("%s.rules[%d]", at, n)))
	}
	return errors.Join(errs...)
}

func (r Rule) check(at string) error {
	var errs []error
	open := true
	for _, name := range slices.Sorted(maps.Keys(r.Claims)) {
		if r.Claims[name] == "" {
			errs = append(errs, fmt.Errorf("%s.claims.%s: must be a string that isn't empty, a number, true or false", at, name))
		}
		open = open && strings.Trim(string(r.Claims[name]), "*/") == ""
	}
	if open {
		errs = append(errs, fmt.Errorf("%s.claims: too open: at least one claim must have a value that not everybody can have", at))
	}
	if len(r.Workspaces) == 0 {
		errs = append(errs, fmt.Errorf("%s.workspaces: missing", at))
	}
	for n, w := range r.Workspaces {
		if err := w.Check(); err != nil {
			errs = append(errs, fmt.Errorf("%s.workspaces[%d]: %w", at, n, err))
		}
	}
	for n, p := range r.Permissions {
		if err := p.Check(); err != nil {
			errs = append(errs, fmt.Errorf("%s.permissions[%d]: %w", at, n, err))
		}
	}
	return errors.Join(errs...)
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(text, "|"):
		return fmt.Errorf("%q is not a URL such as https://token.actions.githubusercontent.com", text)
	case !safe(u):
		return fmt.Errorf("%q must begin with https://", text)
	}
	return nil
}

// safe reports whether nobody else on the network can answer for a URL.
func safe(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.User == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && local)
}
