package explore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Mutant is the table with the rule of one cell swapped for another's.
type Mutant struct {
	Op        lockmodel.Op
	Situation lockmodel.Situation
	Rule      lockmodel.Rule
	// Killer names the property that notices, "" for a survivor.
	Killer string
	// Problem is what it says.
	Problem string
}

// String names the mutant.
func (m Mutant) String() string {
	return fmt.Sprintf("%s × %s: %s %s %q", m.Op, m.Situation, m.Rule.Effect, cmp.Or(string(m.Rule.Code), "done"), m.Rule.Reason)
}

// behaviour is what callers can tell rules apart by.
type behaviour struct {
	effect   lockmodel.Effect
	code     lockmodel.Code
	reason   string
	askAgain bool
}

func behaviourOf(r lockmodel.Rule) behaviour {
	return behaviour{r.Effect, r.Code, r.Reason, r.AskAgain}
}

// Mutants makes every mutant of every cell that a request can come to, and
// finds for each the property that notices it: at a step of the product of all
// items and requests, or else in an exploration within b. Rules that no caller
// can tell apart are no mutants of each other.
func Mutants(b Bounds) []Mutant {
	table := lockmodel.Transitions()
	rules := map[behaviour]lockmodel.Rule{}
	for _, o := range lockmodel.Ops() {
		for _, rule := range table[o] {
			rules[behaviourOf(rule)] = rule
		}
	}
	steps := productByCell()
	var all []Mutant
	for _, o := range lockmodel.Ops() {
		for _, s := range lockmodel.Situations() {
			cell := steps[cellOf{o, s}]
			if len(cell) == 0 {
				continue
			}
			for behaviour, rule := range rules {
				if behaviour == behaviourOf(table[o][s]) {
					continue
				}
				m := Mutant{Op: o, Situation: s, Rule: rule}
				mutated := table
				mutated[o][s] = rule
				m.Killer, m.Problem = kill(mutated.Step, cell)
				if m.Killer == "" {
					if v := Explore(b, mutated.Step).Violation; v != nil {
						m.Killer, m.Problem = v.Property, v.String()
					}
				}
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Situation, b.Situation), cmp.Compare(a.String(), b.String()))
	})
	return all
}

// cellOf is a cell of the table.
type cellOf struct {
	op        lockmodel.Op
	situation lockmodel.Situation
}

// meeting is a stored lock that a request meets.
type meeting struct {
	lock lockmodel.Lock
	r    lockmodel.Request
}

// productByCell sorts the product of all items and requests by the cell of the
// table that each meeting comes to.
func productByCell() map[cellOf][]meeting {
	cells := map[cellOf][]meeting{}
	requests := Requests()
	for _, item := range Items() {
		l := item.Lock()
		for _, r := range requests {
			c := cellOf{r.Op, lockmodel.Classify(l, r)}
			cells[c] = append(cells[c], meeting{l, r})
		}
	}
	return cells
}

// kill names the first property that a machine violates at one of the steps.
func kill(machine Stepper, cell []meeting) (property, problem string) {
	for _, m := range cell {
		if property, problem := checkStep(m.lock, m.r, machine(m.lock, m.r), machine); problem != "" {
			return property, fmt.Sprintf("%s (%+v meets %+v)", problem, m.r, m.lock)
		}
	}
	return "", ""
}

// CheckProduct checks a machine at every meeting of every item with every
// request, up to the first violation, if any. It gives how many meetings there
// were and how many of the table's cells they came to.
func CheckProduct(machine Stepper) (meetings, cells int, violation *Violation) {
	steps := productByCell()
	for _, o := range lockmodel.Ops() {
		for _, s := range lockmodel.Situations() {
			cell := steps[cellOf{o, s}]
			if len(cell) == 0 {
				continue
			}
			meetings += len(cell)
			cells++
			if property, problem := kill(machine, cell); problem != "" {
				return meetings, cells, &Violation{property, problem, []string{fmt.Sprintf("%s × %s", o, s)}}
			}
		}
	}
	return meetings, cells, nil
}
