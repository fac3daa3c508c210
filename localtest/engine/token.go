package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/statelock/statelock/localtest/engine/kv"
)

// token remembers a transaction by its ClientRequestToken.
type token struct {
	Digest string // of the transaction's items
	At     time.Time
}

const (
	// tokenLife is how long a repeated transaction is recognised.
	tokenLife      = 10 * time.Minute
	maxTokenLength = 36
)

// newToken makes the token of a transaction. Its digest is of what the JSON
// says, not of how it is written: a client may write maps in any order.
func newToken(items json.RawMessage, now time.Time) (token, error) {
	var content any
	if err := json.Unmarshal(items, &content); err != nil {
		return token{}, serializationError(err)
	}
	canonical, err := json.Marshal(content)
	if err != nil {
		return token{}, err
	}
	digest := sha256.Sum256(canonical)
	return token{hex.EncodeToString(digest[:]), now}, nil
}

// token refuses tokens that are too long.
func (c *constraints) token(text string) {
	if len(text) > maxTokenLength {
		c.fail(text, "clientRequestToken", "Member must have length less than or equal to 36")
	}
}

// seen reports whether a transaction with this token was done before.
func (e *Engine) seen(name string, tok token) (bool, error) {
	old, ok := e.tokens[name]
	switch {
	case !ok || tok.At.Sub(old.At) >= tokenLife:
		return false, nil
	case old.Digest != tok.Digest:
		return false, errorf("IdempotentParameterMismatchException",
			"The request uses the same client token as a previous, but non-identical request. "+
				"Do not reuse a client token with different requests, unless the requests are identical.")
	}
	return true, nil
}

// forget returns the names of the tokens that are too old at now to matter. It
// looks through them once in a token's life, so that keeping them costs little.
func (e *Engine) forget(now time.Time) []string {
	if now.Sub(e.forgot) < tokenLife {
		return nil
	}
	e.forgot = now
	var old []string
	for name, tok := range e.tokens {
		if now.Sub(tok.At) >= tokenLife {
			old = append(old, name)
		}
	}
	return old
}

// persistToken puts a token into the file and takes old ones out.
func persistToken(tx kv.Tx, name string, tok token, old []string) error {
	for _, o := range old {
		if err := tx.Delete(tokensBucket, []byte(o)); err != nil {
			return err
		}
	}
	return putJSON(tx, tokensBucket, name, tok)
}
