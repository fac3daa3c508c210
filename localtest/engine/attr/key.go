package attr

import (
	"encoding/binary"
	"strings"
)

// AppendKey appends v, a string, number or binary, in a form that sorts bytewise
// as values of its type sort and that no other value's form is a prefix of. So
// keys can be put together from several values.
func AppendKey(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case String:
		return terminate(AppendKeyPrefix(dst, v))
	case Binary:
		return terminate(AppendKeyPrefix(dst, v))
	default:
		return appendNumberKey(dst, v.(Number))
	}
}

// AppendKeyPrefix appends a string or binary without the end mark: what the
// keys of all values that begin with v have in common.
func AppendKeyPrefix(dst []byte, v Value) []byte {
	var text string
	switch v := v.(type) {
	case String:
		text = string(v)
	case Binary:
		text = string(v)
	}
	// A zero byte is followed by 0xFF, so that the end mark 0x00 0x01 stands
	// apart from it and sorts before it.
	for {
		before, after, found := strings.Cut(text, "\x00")
		dst = append(dst, before...)
		if !found {
			return dst
		}
		dst = append(dst, 0x00, 0xFF)
		text = after
	}
}

func terminate(dst []byte) []byte { return append(dst, 0x00, 0x01) }

// Number keys begin with a byte for the sign. A magnitude follows as the first
// digit's power of ten and the digits; that of a negative number is inverted.
const (
	keyNegative = 0x01
	keyZero     = 0x02
	keyPositive = 0x03
)

func appendNumberKey(dst []byte, n Number) []byte {
	if n.text == "0" {
		return append(dst, keyZero)
	}
	text, negative := strings.CutPrefix(n.text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	exponent := len(whole) - 1
	if whole == "0" {
		exponent = len(strings.TrimLeft(fraction, "0")) - len(fraction) - 1
	}
	digits := strings.Trim(whole+fraction, "0")

	if negative {
		dst = append(dst, keyNegative)
	} else {
		dst = append(dst, keyPositive)
	}
	start := len(dst)
	dst = binary.BigEndian.AppendUint16(dst, uint16(exponent-minExponent))
	dst = append(dst, digits...)
	dst = append(dst, 0)
	if negative {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}
