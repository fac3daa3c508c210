package expr

import (
	"strconv"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// parser walks the tokens of one expression by recursive descent. The functions
// return errors rather than keep one, so a caller can't go on after a mistake.
type parser struct {
	text   string
	tokens []token
	pos    int
}

// parse reads all of text as what rule reads.
func parse[T any](text string, rule func(*parser) (T, error)) (T, error) {
	var none T
	tokens, err := lex(text)
	if err != nil {
		return none, err
	}
	p := &parser{text: text, tokens: tokens}
	result, err := rule(p)
	if err != nil {
		return none, err
	}
	if p.peek().kind != end {
		return none, p.unexpected()
	}
	return result, nil
}

func (p *parser) peek() token { return p.tokens[p.pos] }

// next consumes a token. The last one stays: nothing comes after it.
func (p *parser) next() token {
	t := p.peek()
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

// isSymbol reports whether the symbol s comes next.
func (p *parser) isSymbol(s string) bool {
	t := p.peek()
	return t.kind == symbol && t.text == s
}

// accept consumes the symbol s if it comes next.
func (p *parser) accept(s string) bool {
	if !p.isSymbol(s) {
		return false
	}
	p.next()
	return true
}

// expect consumes the symbol s or fails.
func (p *parser) expect(s string) error {
	if !p.accept(s) {
		return p.unexpected()
	}
	return nil
}

// isKeyword reports whether keyword comes next; keywords have no case.
func (p *parser) isKeyword(keyword string) bool {
	t := p.peek()
	return t.kind == word && strings.EqualFold(t.text, keyword)
}

// acceptKeyword consumes keyword if it comes next.
func (p *parser) acceptKeyword(keyword string) bool {
	if !p.isKeyword(keyword) {
		return false
	}
	p.next()
	return true
}

// unexpected is the error for the next token: it shows the token and the text
// around it, from the token before to the token after.
func (p *parser) unexpected() error {
	from, to := p.tokens[max(p.pos-1, 0)], p.tokens[min(p.pos+1, len(p.tokens)-1)]
	return attr.Invalid(`Syntax error; token: "` + p.peek().String() +
		`", near: "` + p.text[from.start:to.end] + `"`)
}

// path reads name{.name|[index]}.
func (p *parser) path() (Path, error) {
	step, err := p.nameStep()
	if err != nil {
		return nil, err
	}
	path := Path{step}
	for {
		switch {
		case p.accept("."):
			step, err := p.nameStep()
			if err != nil {
				return nil, err
			}
			path = append(path, step)
		case p.accept("["):
			index, err := p.index()
			if err != nil {
				return nil, err
			}
			path = append(path, Step{Index: index})
		default:
			return path, nil
		}
	}
}

func (p *parser) nameStep() (Step, error) {
	if t := p.peek(); t.kind != word && t.kind != name || isOperatorWord(t.text) {
		return Step{}, p.unexpected()
	}
	return Step{Name: p.next().text}, nil
}

// isOperatorWord reports the words that the grammar itself uses between
// operands. They can't be names, which would make a AND AND AND b readable;
// all other reserved words parse as names and are refused by Check.
func isOperatorWord(text string) bool {
	switch len(text) {
	case 2, 3, 7:
		switch strings.ToUpper(text) {
		case "AND", "OR", "NOT", "IN", "BETWEEN":
			return true
		}
	}
	return false
}

// index reads the rest of [n].
func (p *parser) index() (int, error) {
	t := p.peek()
	n, err := strconv.Atoi(t.text)
	if t.kind != number || err != nil || n > maxIndex {
		return 0, p.unexpected()
	}
	p.next()
	return n, p.expect("]")
}

// maxIndex is far above the number of elements that fit into an item.
const maxIndex = 1<<31 - 1

// operand reads a path, a value or a function call.
func (p *parser) operand() (Operand, error) {
	t := p.peek()
	if t.kind == value {
		p.next()
		return ValueRef(t.text), nil
	}
	if t.kind == word && !isOperatorWord(t.text) && p.tokens[p.pos+1].text == "(" {
		return p.call()
	}
	return p.path()
}

// call reads name(operand{, operand}).
func (p *parser) call() (*Call, error) {
	call := &Call{Name: p.next().text}
	p.next()
	for {
		arg, err := p.operand()
		if err != nil {
			return nil, err
		}
		call.Args = append(call.Args, arg)
		if p.accept(")") {
			return call, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}
