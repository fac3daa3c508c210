package explore

import "fmt"

// Scopes are the bounds of the proof, the smallest first. No one of them has
// everything, since worlds multiply: each has much of something.
func Scopes() []Bounds {
	return []Bounds{
		{Acquisitions: 1, Operator: 2, Late: 1},
		{Acquisitions: 1, Operator: 1, Late: 2},
		{Acquisitions: 2, Operator: 2},
		{Acquisitions: 1, Operator: 2, Sweeper: 1, Ticks: 1},
		{Acquisitions: 1, Renewals: 2, Ticks: 2, Late: 1},
		{Acquisitions: 1, Operator: 1, Sweeper: 1, Renewals: 1, Ticks: 1},
		{Acquisitions: 1, Operator: 1, Sweeper: 1, Ticks: 2, Skew: true},
		{Acquisitions: 1, Operator: 1, Sweeper: 1, Ticks: 1, Late: 1},
		{Acquisitions: 1, Writes: 2, Late: 1},
		{Acquisitions: 1, Writes: 1, Operator: 2},
		{Acquisitions: 1, Writes: 1, Operator: 1, Late: 1},
		{Acquisitions: 1, Writes: 1, Sweeper: 1, Ticks: 2},
		{Acquisitions: 1, Writes: 1, Renewals: 1, Ticks: 2},
		{Acquisitions: 1, Writes: 2, Ticks: 1, Skew: true},
	}
}

// String spells the bounds.
func (b Bounds) String() string {
	s := fmt.Sprintf("%d holds a client, %d requests by the operator, %d by the sweeper, %d renewals, %d state writes, %d ticks, %d late copies",
		b.Acquisitions, b.Operator, b.Sweeper, b.Renewals, b.Writes, b.Ticks, b.Late)
	if b.Skew {
		s += ", skew"
	}
	return s
}
