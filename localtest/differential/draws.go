package differential

import (
	"math/rand/v2"
	"slices"
)

// draws is what a case is made from: a sequence of choices. They come from a
// random generator or are given, so that a case can be made again from a
// shorter sequence of smaller choices; that is how a case is minimised,
// whatever it consists of. Each choice has its plainest outcome at 0.
type draws struct {
	random *rand.Rand // nil: choices beyond those given are 0
	given  []int
	taken  []int
}

func randomDraws(seed, number uint64) *draws {
	return &draws{random: rand.New(rand.NewPCG(seed, number))}
}

// below chooses from 0 up to but not including n.
func (g *draws) below(n int) int {
	choice := 0
	switch at := len(g.taken); {
	case at < len(g.given):
		choice = min(g.given[at], n-1)
	case g.random != nil:
		choice = g.random.IntN(n)
	}
	g.taken = append(g.taken, choice)
	return choice
}

// oneIn is true once in n times.
func (g *draws) oneIn(n int) bool { return g.below(n) == n-1 }

// pick chooses one of all, the plainest being the first.
func pick[T any](g *draws, all ...T) T { return all[g.below(len(all))] }

// maxTries bounds how many cases minimise tries.
const maxTries = 600

// minimise looks for the smallest sequence of choices that still has what
// holds looks for, beginning with one that has it.
func minimise(choices []int, holds func([]int) bool) []int {
	tries := 0
	accept := func(smaller []int) bool {
		if tries++; tries > maxTries || !holds(smaller) {
			return false
		}
		choices = smaller
		return true
	}
	for smaller := true; smaller && tries < maxTries; {
		smaller = false
		for size := 16; size > 0; size /= 2 {
			for at := len(choices) - size; at >= 0; at-- {
				if at+size <= len(choices) && accept(slices.Delete(slices.Clone(choices), at, at+size)) {
					smaller = true
				}
			}
		}
		for at := range choices {
			for _, choice := range []int{0, choices[at] / 2, choices[at] - 1} {
				if at < len(choices) && choice >= 0 && choice < choices[at] && accept(replaced(choices, at, choice)) {
					smaller = true
				}
			}
		}
	}
	return choices
}

func replaced(choices []int, at, choice int) []int {
	smaller := slices.Clone(choices)
	smaller[at] = choice
	return smaller
}
