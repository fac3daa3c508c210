package attr

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// MaxDigits is how many significant digits a Number can have.
const MaxDigits = 38

// A Number's first significant digit stands at a power of ten from minExponent
// to maxExponent: magnitudes from 1E-130 to 9.99…E+125.
const (
	minExponent = -130
	maxExponent = 125
)

// What DynamoDB says of numbers it can't hold.
const (
	errNotNumber     Invalid = "The parameter cannot be converted to a numeric value"
	errTooManyDigits Invalid = "Attempting to store more than 38 significant digits in a Number"
	errOverflow      Invalid = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	errUnderflow     Invalid = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)

// Number is an exact decimal. It is kept as its canonical text: plain notation
// without exponent, leading or trailing zeros, or a sign on zero. So two
// Numbers are equal exactly when their texts are, and the zero Number is not
// valid: use ParseNumber or Int.
type Number struct{ text string }

// exact computes without rounding: the sum of the largest and the smallest
// magnitude has fewer than 300 digits.
var exact = apd.Context{Precision: 300, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent}

// ParseNumber reads decimal text with an optional sign, fraction and exponent.
func ParseNumber(text string) (Number, error) {
	if isSmallInt(text) {
		return Number{text}, nil
	}
	if text == "" {
		return Number{}, errNotNumber
	}
	if !isNumeral(text) {
		return Number{}, errNotNumber + Invalid(": "+text)
	}
	d, _, err := apd.NewFromString(text)
	if err == nil {
		return canonical(d)
	}
	// Only an exponent beyond apd's own range is left to fail.
	switch mantissa, exponent, _ := cutAny(text, "eE"); {
	case strings.Trim(mantissa, "+-0.") == "":
		return Number{"0"}, nil
	case exponent[0] == '-':
		return Number{}, errUnderflow
	}
	return Number{}, errOverflow
}

// Int is the Number of a count.
func Int(n int) Number {
	var d apd.Decimal
	d.SetInt64(int64(n))
	return Number{plain(&d)}
}

// Add returns n + m. A sum that a Number can't hold is an error, not rounded.
func (n Number) Add(m Number) (Number, error) { return n.compute(exact.Add, m) }

// Sub returns n - m, on the same terms as Add.
func (n Number) Sub(m Number) (Number, error) { return n.compute(exact.Sub, m) }

func (n Number) compute(op func(d, x, y *apd.Decimal) (apd.Condition, error), m Number) (Number, error) {
	var d apd.Decimal
	if _, err := op(&d, n.decimal(), m.decimal()); err != nil {
		return Number{}, errOverflow
	}
	return canonical(&d)
}

// Compare orders numbers by value: negative, zero or positive as n is less
// than, equal to or greater than m.
func (n Number) Compare(m Number) int {
	if n.text == m.text {
		return 0
	}
	return n.decimal().Cmp(m.decimal())
}

// Type is TypeNumber.
func (Number) Type() Type { return TypeNumber }

// String is the number in plain notation, as DynamoDB returns it.
func (n Number) String() string { return n.text }

// decimal can't fail: text came out of plain.
func (n Number) decimal() *apd.Decimal {
	d, _, _ := apd.NewFromString(n.text)
	return d
}

func canonical(d *apd.Decimal) (Number, error) {
	d.Reduce(d)
	digits := d.NumDigits()
	first := int64(d.Exponent) + digits - 1 // the first digit's power of ten
	switch {
	case d.IsZero():
		return Number{"0"}, nil
	case first > maxExponent:
		return Number{}, errOverflow
	case first < minExponent:
		return Number{}, errUnderflow
	case digits > MaxDigits:
		return Number{}, errTooManyDigits
	}
	return Number{plain(d)}, nil
}

func plain(d *apd.Decimal) string { return d.Text('f') }

// isSmallInt reports text that is canonical as it stands: the usual case, and
// cheap to see.
func isSmallInt(text string) bool {
	if len(text) == 0 || len(text) > 18 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text[0] != '0' || len(text) == 1
}

// isNumeral reports [+-]digits[.digits][(e|E)[+-]digits] with a digit before
// the exponent. apd alone would take "NaN" and "Infinity" too.
func isNumeral(text string) bool {
	mantissa, exponent, hasExponent := cutAny(text, "eE")
	whole, fraction, _ := strings.Cut(trimSign(mantissa), ".")
	if whole+fraction == "" || !isDigits(whole) || !isDigits(fraction) {
		return false
	}
	exponent = trimSign(exponent)
	return !hasExponent || exponent != "" && isDigits(exponent)
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

func trimSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
