package lockmodel

import (
	"fmt"
	"strings"
)

// Markdown renders the table for the documentation: the situations, the
// effects, and what every operation does in every situation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# The transition table\n\n" +
		"Written from `pkg/lockmodel/table.go` by `go test ./pkg/lockmodel -update`; a test compares the two.\n\n" +
		"A cell is what is written, or else what is answered: **bold** is a write, *again* repeats the answer of\n" +
		"an earlier copy, `code` is a refusal.\n\n| situation |")
	for _, o := range Ops() {
		fmt.Fprintf(&b, " %s |", o)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Ops())) + "\n")
	for _, s := range Situations() {
		fmt.Fprintf(&b, "| %s |", s)
		for _, o := range Ops() {
			fmt.Fprintf(&b, " %s |", table[o][s].cell())
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## Situations\n\nHow the stored lock looks to the request. The first that fits is taken.\n\n")
	for _, s := range Situations() {
		fmt.Fprintf(&b, "- **%s**: %s\n", s, s.Meaning())
	}
	b.WriteString("\n## Effects\n\nAll changes of an effect are one write and read the lock as it was before.\n\n")
	for e := range Effect(numEffects) {
		if e != Keep {
			to := "leaves the lock's state as it is"
			if e.To() != "" {
				to = fmt.Sprintf("leads to `%s`", e.To())
			}
			fmt.Fprintf(&b, "- **%s** %s: %s\n", e, to, changes(e))
		}
	}
	b.WriteString("\n## Why\n")
	for _, o := range Ops() {
		fmt.Fprintf(&b, "\n### %s\n\n| situation | answer | reason given | why |\n|---|---|---|---|\n", o)
		for _, s := range Situations() {
			r := table[o][s]
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s, r.cell(), r.Reason, r.Why)
		}
	}
	return b.String()
}

func (r Rule) cell() string {
	switch {
	case !r.Done():
		return "`" + string(r.Code) + "`"
	case r.Effect == Keep:
		return "*again*"
	}
	return "**" + r.Effect.String() + "**"
}

func changes(e Effect) string {
	var parts []string
	for _, c := range e.Changes() {
		parts = append(parts, c.String())
	}
	return strings.Join(parts, ", ")
}

// String spells the change for the documentation.
func (c Change) String() string {
	switch c.Verb {
	case Set:
		return fmt.Sprintf("`%s = %s`", c.Attr, c.To)
	case Add:
		return fmt.Sprintf("`%s + 1`", c.Attr)
	case Subtract:
		return fmt.Sprintf("`%s - 1`", c.Attr)
	case Copy:
		return fmt.Sprintf("`%s = %s`", c.Attr, c.From)
	case Fill:
		return fmt.Sprintf("`%s = %s` where missing", c.Attr, c.To)
	case Recall:
		return fmt.Sprintf("`%s = %s`, or `%s` where missing", c.Attr, c.From, c.To)
	case Prolong:
		return fmt.Sprintf("`%s = %s + %s`", c.Attr, c.To, c.From)
	}
	return fmt.Sprintf("`%s` removed", c.Attr)
}
