package faults

import (
	"maps"
	"math/rand/v2"
)

// Rates are the probabilities of faults, each of 0 to 1, 1 at most together.
// A kind that is missing does not happen.
type Rates map[Kind]float64

// Even gives every kind of fault the same probability, and all of them together
// the given one.
func Even(together float64) Rates {
	return Rates{}.With(together, Kinds()...)
}

// With gives the kinds the same probability, together the given one, beside the
// others in r, which is left as it was.
func (r Rates) With(together float64, kinds ...Kind) Rates {
	with := maps.Clone(r)
	for _, k := range kinds {
		with[k] = together / float64(len(kinds))
	}
	return with
}

// draw takes a kind.
func (r Rates) draw(random *rand.Rand) Kind {
	p := random.Float64()
	for _, k := range Kinds() { // in order: a seed draws the same each time
		if p < r[k] {
			return k
		}
		p -= r[k]
	}
	return None
}
