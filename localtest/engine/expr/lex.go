package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// MaxLength is the longest expression DynamoDB takes, in bytes.
const MaxLength = 4096

type kind uint8

const (
	end    kind = iota
	word        // a name, keyword or function
	name        // #placeholder
	value       // :placeholder
	number      // digits
	symbol      // punctuation and operators
	bad         // a character that begins no token
)

// token is a piece of the expression; text is empty at its end.
type token struct {
	kind       kind
	text       string
	start, end int // byte offsets
}

func (t token) String() string {
	if t.kind == end {
		return "<EOF>"
	}
	return t.text
}

// lex splits text into tokens, the last of kind end. No rule takes a bad one.
func lex(text string) ([]token, error) {
	if strings.TrimSpace(text) == "" {
		return nil, attr.Invalid("The expression can not be empty;")
	}
	if len(text) > MaxLength {
		return nil, attr.Invalid(fmt.Sprintf(
			"Expression size has exceeded the maximum allowed size; expression size: %d", len(text)))
	}
	tokens := make([]token, 0, len(text)/4+2)
	for i := 0; ; {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i == len(text) {
			return append(tokens, token{end, "", i, i}), nil
		}
		k, n := next(text[i:])
		tokens = append(tokens, token{k, text[i : i+n], i, i + n})
		i += n
	}
}

// next reads the token that text begins with.
func next(text string) (k kind, length int) {
	switch c := text[0]; {
	case isLetter(c): // a name can't begin with an underscore
		return word, run(text, 0, isWordByte)
	case c == '#' || c == ':':
		n := run(text, 1, isWordByte)
		switch {
		case n == 1:
			return bad, 1
		case c == '#':
			return name, n
		}
		return value, n
	case isDigit(c):
		return number, run(text, 0, isDigit)
	case strings.HasPrefix(text, "<>"), strings.HasPrefix(text, "<="), strings.HasPrefix(text, ">="):
		return symbol, 2
	case strings.IndexByte("=<>()[],.+-", c) >= 0:
		return symbol, 1
	}
	// Take a whole character, for the message.
	_, n := utf8.DecodeRuneInString(text)
	return bad, n
}

// run counts the bytes from start on that belong, plus start.
func run(text string, start int, belongs func(byte) bool) int {
	i := start
	for i < len(text) && belongs(text[i]) {
		i++
	}
	return i
}

func isLetter(c byte) bool   { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
