package attr

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	const nines = "99999999999999999999999999999999999999" // 38 of them
	tests := []struct {
		text string
		want string // canonical text, or what the error begins with
	}{
		{"0", "0"},
		{"-0", "0"},
		{"0.000", "0"},
		{"1", "1"},
		{"+1", "1"},
		{"1.0", "1"},
		{"0042.1200", "42.12"},
		{".5", "0.5"},
		{"5.", "5"},
		{"-.5", "-0.5"},
		{"1e3", "1000"},
		{"1.5E2", "150"},
		{"15E-1", "1.5"},
		{"1E+2", "100"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{nines, nines},
		{"0." + nines, "0." + nines},
		{nines + "000", nines + "000"},
		{"1E125", "1" + strings.Repeat("0", 125)},
		{"1E-130", "0." + strings.Repeat("0", 129) + "1"},
		{"0E99999999", "0"},

		{"", "The parameter cannot be converted to a numeric value"},
		{"x", "The parameter cannot be converted to a numeric value: x"},
		{"1x", "The parameter cannot be converted to a numeric value: 1x"},
		{" 1", "The parameter cannot be converted to a numeric value:  1"},
		{"NaN", "The parameter cannot be converted to a numeric value: NaN"},
		{"Infinity", "The parameter cannot be converted to a numeric value: Infinity"},
		{"0x10", "The parameter cannot be converted to a numeric value: 0x10"},
		{"1_000", "The parameter cannot be converted to a numeric value: 1_000"},
		{"--1", "The parameter cannot be converted to a numeric value: --1"},
		{".", "The parameter cannot be converted to a numeric value: ."},
		{"1e", "The parameter cannot be converted to a numeric value: 1e"},
		{"1e1.5", "The parameter cannot be converted to a numeric value: 1e1.5"},
		{"1" + nines, "Attempting to store more than 38 significant digits in a Number"},
		{"1E126", "Number overflow."},
		{"-1E126", "Number overflow."},
		{"1E-131", "Number underflow."},
		{"1E999999999999", "Number overflow."},
		{"1E-999999999999", "Number underflow."},
	}
	for _, test := range tests {
		n, err := ParseNumber(test.text)
		got := n.String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || !strings.HasPrefix(got, test.want)) {
			t.Errorf("ParseNumber(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// numerals draws decimal text of any shape that ParseNumber takes.
func numerals() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := rapid.StringMatching(`[+-]?[0-9]{1,12}(\.[0-9]{0,12})?`).Draw(t, "mantissa")
		if rapid.Bool().Draw(t, "has exponent") {
			text += rapid.StringMatching(`[eE][+-]?[0-9]`).Draw(t, "exponent")
		}
		return text
	})
}

// exactly is the value of decimal text as a fraction of integers.
func exactly(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a number: %q", text)
	}
	return r
}

func parsed(t *rapid.T, text string) Number {
	n, err := ParseNumber(text)
	if err != nil {
		t.Fatalf("ParseNumber(%q): %v", text, err)
	}
	return n
}

func TestNumberAgreesWithFractions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		textA, textB := numerals().Draw(t, "a"), numerals().Draw(t, "b")
		a, b := parsed(t, textA), parsed(t, textB)
		ratA, ratB := exactly(t, textA), exactly(t, textB)

		if got := exactly(t, a.String()); got.Cmp(ratA) != 0 {
			t.Fatalf("%q became %s", textA, a)
		}
		if got, want := a.Compare(b), ratA.Cmp(ratB); got != want {
			t.Fatalf("Compare(%s, %s) = %d, want %d", a, b, got, want)
		}
		sum, err := a.Add(b)
		if want := new(big.Rat).Add(ratA, ratB); err != nil || exactly(t, sum.String()).Cmp(want) != 0 {
			t.Fatalf("%s + %s = %s, %v, want %s", a, b, sum, err, want)
		}
		difference, err := a.Sub(b)
		if want := new(big.Rat).Sub(ratA, ratB); err != nil || exactly(t, difference.String()).Cmp(want) != 0 {
			t.Fatalf("%s - %s = %s, %v, want %s", a, b, difference, err, want)
		}
	})
}

// Equal numbers have one text, and it reads back to itself.
func TestNumberTextIsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := numerals().Draw(t, "text")
		n := parsed(t, text)
		if again := parsed(t, n.String()); again != n {
			t.Fatalf("%q became %s, which became %s", text, n, again)
		}
		if other := parsed(t, text+"e0"[min(2, 2*strings.Count(strings.ToLower(text), "e")):]); other != n {
			t.Fatalf("%q became %s, with exponent zero %s", text, n, other)
		}
		if s := n.String(); strings.ContainsAny(s, "eE+") || strings.HasPrefix(s, "-0") && !strings.HasPrefix(s, "-0.") {
			t.Fatalf("%q became %s", text, s)
		}
	})
}

func TestNumberArithmeticLimits(t *testing.T) {
	t.Parallel()
	number := func(text string) Number {
		n, err := ParseNumber(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got, err := number("9.9e125").Add(number("9.9e125")); !errors.Is(err, errOverflow) {
		t.Errorf("sum beyond the range = %v, %v", got, err)
	}
	if got, err := number("1e125").Add(number("1e-130")); !errors.Is(err, errTooManyDigits) {
		t.Errorf("sum of 256 digits = %v, %v", got, err)
	}
	if got, err := number("1e-130").Sub(number("1e-130")); err != nil || got.String() != "0" {
		t.Errorf("difference of equals = %v, %v", got, err)
	}
}

// The sizes were measured on the service: an item grown to the limit to the
// byte shows what a number in it costs.
func TestNumberSize(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{
		"0": 1, "-0": 1, "1": 2, "12": 2, "123": 3, "1234": 3, "15": 2, "1.5": 3, "1.200": 3, "1.234": 4,
		"0042": 2, "100": 2, "1010": 3, "100.5": 4, "0.15": 2, "0.0000001": 2, "1E125": 2, "1E-100": 2,
		"3.14159": 5, "123456": 4, "-42": 3, "12345678901234567890123456789012345678": 20,
	}
	for text, want := range sizes {
		n, err := ParseNumber(text)
		if err != nil || n.Size() != want {
			t.Errorf("size of %s = %d, %v, want %d", text, n.Size(), err, want)
		}
	}
}
