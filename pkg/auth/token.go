package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Token is what is stored of a token: all but the secret.
type Token struct {
	// ID names the token to people, and finds it. It is no secret.
	ID string
	// Name says what the token is for.
	Name string
	// Digest is the Digest of the whole secret.
	Digest string
	// Grant is what the token allows.
	Grant
	// CreatedAt and CreatedBy say when and by whom the token was made.
	CreatedAt time.Time
	CreatedBy string
	// ExpiresAt is from when on the token has lapsed; zero for never.
	ExpiresAt time.Time
	// RevokedAt is when the token was revoked; zero if it was not.
	RevokedAt time.Time
}

// The parts of a token's secret: sl_<id>_<the rest>. Two texts of rand.Text have
// 260 random bits, of which nobody finds one by its digest.
const (
	tokenPrefix  = "sl_"
	tokenIDLen   = 10
	tokenRestLen = 2 * 26
	base32Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // as rand.Text has them
)

// MaxTokenName is how long a token's name may be, in bytes.
const MaxTokenName = 200

// Mint gives a token its id, and its secret, which is kept nowhere.
func Mint(t Token) (minted Token, secret string) {
	t.ID = strings.ToLower(rand.Text()[:tokenIDLen])
	secret = tokenPrefix + t.ID + "_" + rand.Text() + rand.Text()
	t.Digest = Digest(secret)
	return t, secret
}

// TokenID finds the id in a token's secret. It is not ok for what Mint can't
// have made.
func TokenID(secret string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(secret, tokenPrefix)
	id, rest, found := strings.Cut(rest, "_")
	if !ok || !found || len(rest) != tokenRestLen || strings.Trim(rest, base32Digits) != "" || CheckTokenID(id) != nil {
		return "", false
	}
	return id, true
}

// CheckTokenID refuses what can't be a token's id.
func CheckTokenID(id string) error {
	if len(id) != tokenIDLen || strings.Trim(id, strings.ToLower(base32Digits)) != "" {
		return fmt.Errorf("a token's id is %d lower-case letters and digits", tokenIDLen)
	}
	return nil
}

// Check refuses a token that isn't fit to be stored.
func (t Token) Check() error {
	errs := []error{CheckTokenID(t.ID), t.Grant.Check()}
	switch {
	case t.Name == "":
		errs = append(errs, errors.New("no name; say what the token is for"))
	case len(t.Name) > MaxTokenName:
		errs = append(errs, fmt.Errorf("name: longer than %d bytes", MaxTokenName))
	case !utf8.ValidString(t.Name) || strings.ContainsFunc(t.Name, func(c rune) bool { return !unicode.IsPrint(c) }):
		errs = append(errs, errors.New("name: only visible characters and spaces may stand in it"))
	}
	if len(t.Digest) != len(Digest("")) {
		errs = append(errs, errors.New("no digest"))
	}
	if !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(t.CreatedAt) {
		errs = append(errs, errors.New("expires before it begins"))
	}
	return errors.Join(errs...)
}

// Lapse says why the token has lapsed at a time, "" if it has not.
func (t Token) Lapse(now time.Time) string {
	switch {
	case !t.RevokedAt.IsZero():
		return "revoked " + t.RevokedAt.UTC().Format(time.RFC3339)
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return "expired " + t.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return ""
}

// Tokens finds tokens. Package ddbstore has one.
type Tokens interface {
	// Token reads a token as it stands after all writes before: a revocation
	// counts at once. ErrNoToken is for an id that no token has.
	Token(ctx context.Context, id string) (Token, error)
}

// ErrNoToken says that there is no token with an id.
var ErrNoToken = errors.New("there is no such token")

func (a *Authenticator) token(ctx context.Context, secret string) (Identity, error) {
	id, ok := TokenID(secret)
	if !ok {
		return Identity{}, invalid("begins as a token and is none")
	}
	t, err := a.tokens.Token(ctx, id)
	switch {
	case errors.Is(err, ErrNoToken):
		return Identity{}, invalid("there is no token %s", id)
	case err != nil:
		return Identity{}, unavailable(err)
	}
	digest := Digest(secret)
	if subtle.ConstantTimeCompare([]byte(digest), []byte(t.Digest)) != 1 {
		return Identity{}, invalid("not the secret of token %s", id)
	}
	why := t.Lapse(a.now())
	return Identity{Principal: "token:" + id, Digest: digest, Lapsed: why != "", Why: why, Grants: []Grant{t.Grant}}, nil
}
