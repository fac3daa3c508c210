package engine

// consumedCapacity says what a request would have cost.
type consumedCapacity struct {
	TableName     string
	CapacityUnits float64
	Table         *capacityUnits `json:",omitempty"`
}

type capacityUnits struct{ CapacityUnits float64 }

// capacity is the answer to ReturnConsumedCapacity, nil if it is not wanted.
func capacity(r *common, units float64) *consumedCapacity {
	switch r.ReturnConsumedCapacity {
	case "TOTAL":
		return &consumedCapacity{TableName: r.TableName.name(), CapacityUnits: units}
	case "INDEXES":
		return &consumedCapacity{
			TableName:     r.TableName.name(),
			CapacityUnits: units,
			Table:         &capacityUnits{units},
		}
	}
	return nil
}

// readUnits is what reading size bytes costs: a unit for 4 KB, half of that for
// an eventually consistent read, at least one step.
func readUnits(size int, consistent bool) float64 {
	units := float64(max(1, (size+4095)/4096))
	if consistent {
		return units
	}
	return units / 2
}

// units is what the write costs: a unit for 1 KB of the larger of the old and
// the new item.
func (w write) units() float64 {
	size := max(w.old.ItemSize(), w.item.ItemSize())
	return float64(max(1, (size+1023)/1024))
}
