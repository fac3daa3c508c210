package differential

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Known is a difference between the embedded engine and others that is as it
// should be. It explains the disagreements that fit all of its conditions; those
// left out fit anything.
type Known struct {
	// Engines are the databases that differ, by name.
	Engines []string
	// Why tells who is right, and where that is known from.
	Why string
	// Part matches what differs; left out it is the verdict.
	Part string
	// Ours and Theirs match the two verdicts with their messages.
	Ours, Theirs string
	// Request matches the operation and its body in JSON.
	Request string
	// Also is whatever else must be so.
	Also func(*Disagreement) bool
	// Specimen is a case in which it shows, a request on each line.
	Specimen string
}

// passed matches an answer that found no fault with a request.
const passed = `^(done|ConditionalCheckFailedException|TransactionCanceledException)`

// twoPaths matches a request that compares attributes with attributes.
const twoPaths = `[#a-z_][\w.\[\]#]* (=|<>|<=|>=) [#a-z_]`

func (k Known) explains(d *Disagreement) bool {
	fits := func(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }
	part := k.Part
	if part == "" {
		part = "^verdict$"
	}
	return slices.Contains(k.Engines, d.Names[1]) && fits(part, d.Part) &&
		fits(k.Ours, d.Ours.String()) && fits(k.Theirs, d.Theirs.String()) &&
		fits(k.Request, d.Request.String()) && (k.Also == nil || k.Also(d))
}

// onlyBareItems says that answers differ by items alone that are nothing but
// their key and that we have not.
func onlyBareItems(d *Disagreement) bool {
	return cmp.Equal(withoutBare(d.Ours.Body[d.Part]), withoutBare(d.Theirs.Body[d.Part]))
}

// withoutBare puts nothing in the place of items that are but a key.
func withoutBare(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = withoutBare(v[i])
		}
		return all
	case object:
		if item, ok := v["Item"]; ok && withoutBare(item) == nil {
			return nil
		}
		if _, ok := v["k"]; len(v) == 0 || ok && len(v) == 1 { // or a projection of it
			return nil
		}
	}
	return v
}

// emptyForNone says that they have an empty map where we have nothing.
func emptyForNone(d *Disagreement) bool {
	theirs, ok := d.Theirs.Body[d.Part].(object)
	return ok && len(theirs) == 0 && d.Ours.Body[d.Part] == nil
}

// spelling says that answers differ by how they spell numbers, if at all.
func spelling(d *Disagreement) bool {
	return sameNumbers(d, func(text string) string {
		n, err := attr.ParseNumber(text)
		if err != nil {
			return text
		}
		return n.String()
	})
}

// rounding says that answers differ by late digits of numbers, if at all.
func rounding(d *Disagreement) bool {
	return sameNumbers(d, func(text string) string {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return strconv.FormatFloat(f, 'e', 12, 64)
	})
}

// sameNumbers passes over bare items: an answer that has those too is known for
// both reasons.
func sameNumbers(d *Disagreement, spell func(string) string) bool {
	plain := func(a Answer) any { return withoutBare(withNumbers(a.Body[d.Part], spell)) }
	return cmp.Equal(plain(d.Ours), plain(d.Theirs))
}

// withNumbers spells the numbers in attribute values anew.
func withNumbers(v any, spell func(string) string) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = withNumbers(v[i], spell)
		}
		return all
	case object:
		all := object{}
		for name, w := range v {
			all[name] = withNumbers(w, spell)
			if text, ok := w.(string); ok && name == "N" {
				all[name] = spell(text)
			}
		}
		return all
	}
	return v
}

// afterError says that the request before was refused.
func afterError(d *Disagreement) bool { return d.Before.Verdict != "done" }

// falseOrEmpty says that there is such a value in the case.
func falseOrEmpty(d *Disagreement) bool {
	return regexp.MustCompile(`"BOOL":false|"[SB]":""`).MatchString(d.Case.String())
}

// hasList says that there is a list in the case.
func hasList(d *Disagreement) bool { return strings.Contains(d.Case.String(), `"L":[`) }

// copiesDocument says that an update copies an attribute and goes into one.
func copiesDocument(d *Disagreement) bool {
	return regexp.MustCompile(`UpdateExpression":"[^"]*= #?[a-z]+\b[^"]*(REMOVE|SET|ADD|DELETE|,) #?[a-z]+[.[]`).MatchString(d.Case.String())
}
