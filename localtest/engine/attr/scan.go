package attr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// This file walks JSON text without building anything between it and the
// values: items are the bulk of every request. The text normally comes from
// encoding/json, which has checked its syntax; a mistake in it is an error all
// the same.

func (d *decoder) errorf(format string, args ...any) error {
	return fmt.Errorf("attribute value: "+format+" at byte %d", append(args, d.pos)...)
}

// peek skips white space and returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	for d.pos < len(d.text) {
		switch c := d.text[d.pos]; c {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return c
		}
	}
	return 0
}

// accept consumes c if it comes next.
func (d *decoder) accept(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.pos++
	return true
}

// word consumes a literal such as true if it comes next.
func (d *decoder) word(word string) bool {
	d.peek()
	if !bytes.HasPrefix(d.text[d.pos:], []byte(word)) {
		return false
	}
	d.pos += len(word)
	return true
}

func (d *decoder) null() bool { return d.word("null") }

// bool reads true or false, or a string that says so: the service takes these,
// in any case, as dynoxide's suite bool_and_null_values_http.rs has recorded.
func (d *decoder) bool() (bool, error) {
	switch {
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	}
	start := d.pos
	if text, err := d.string(); err == nil {
		switch strings.ToLower(text) {
		case "true", "t", "yes", "y", "1":
			return true, nil
		case "false", "f", "no", "n", "0":
			return false, nil
		}
	}
	d.pos = start
	return false, d.errorf("expected true or false")
}

func (d *decoder) string() (string, error) {
	if d.peek() != '"' {
		return "", d.errorf("expected a string")
	}
	for i := d.pos + 1; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			s := string(d.text[d.pos+1 : i])
			d.pos = i + 1
			return s, nil
		case c == '\\' || c < ' ' || c > '~':
			return d.escapedString(i)
		}
	}
	return "", d.errorf("string without end")
}

// escapedString reads a string that has something besides plain ASCII, first
// seen at i; encoding/json knows escapes and mends broken UTF-8.
func (d *decoder) escapedString(i int) (string, error) {
	for ; i < len(d.text) && d.text[i] != '"'; i++ {
		if d.text[i] == '\\' {
			i++
		}
	}
	if i >= len(d.text) {
		return "", d.errorf("string without end")
	}
	var s string
	if err := json.Unmarshal(d.text[d.pos:i+1], &s); err != nil {
		return "", err
	}
	d.pos = i + 1
	return s, nil
}

// object reads an object; member reads the value of each name.
func (d *decoder) object(member func(name string) error) error {
	return d.sequence('{', '}', func() error {
		name, err := d.string()
		if err != nil {
			return err
		}
		if !d.accept(':') {
			return d.errorf("expected ':'")
		}
		return member(name)
	})
}

func (d *decoder) array(elem func() error) error { return d.sequence('[', ']', elem) }

func (d *decoder) sequence(open, end byte, elem func() error) error {
	if !d.accept(open) {
		return d.errorf("expected '%c'", open)
	}
	if d.accept(end) {
		return nil
	}
	for {
		if err := elem(); err != nil {
			return err
		}
		if d.accept(end) {
			return nil
		}
		if !d.accept(',') {
			return d.errorf("expected ',' or '%c'", end)
		}
	}
}

// skip passes over one JSON value of any kind.
func (d *decoder) skip() error {
	dec := json.NewDecoder(bytes.NewReader(d.text[d.pos:]))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	d.pos += int(dec.InputOffset())
	return nil
}
