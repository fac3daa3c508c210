package history

import (
	"fmt"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Image is a lock item as the database held it at some time.
type Image struct {
	Workspace string
	State     lockmodel.State
	Holders   int64
	Fence     int64
	LockID    string
	Runner    string
}

// Images checks the items that the database held, all of them and in any order,
// against what clients were told: each is one that a transition leaves behind,
// there is one hold under each fence, and every client that was told it holds
// the lock is there.
func Images(images []Image, calls []Call) []Violation {
	type key struct {
		ws    string
		fence int64
	}
	var found findings
	holds := map[key]Image{}
	for _, im := range images {
		holders := int64(0)
		if im.State != lockmodel.Unlocked {
			holders = 1
		}
		stored := func(rule, what string, items ...any) {
			found.add(Violation{Rule: rule, Workspace: im.Workspace, Known: len(calls), What: fmt.Sprintf(what, items...)})
		}
		if im.Holders != holders || (im.LockID != "") != (holders == 1) || im.Fence < 1 {
			stored(StoredWasWhole, "the item was %+v", im)
		}
		if im.LockID == "" {
			continue
		}
		im.State, im.Holders = "", 0
		k := key{im.Workspace, im.Fence}
		if first, known := holds[k]; known && first != im {
			stored(StoredWasSingle, "the item was %+v and %+v", first, im)
		}
		holds[k] = im
	}
	for i := range calls {
		c := &calls[i]
		if !c.tellsHolder() {
			continue
		}
		a := c.Answer
		im, stored := holds[key{c.Request.Workspace, a.Fence}]
		if !stored || im.LockID != a.LockID || im.Runner != a.Lock.Owner {
			found.add(Violation{
				Rule: ToldWasStored, Workspace: c.Request.Workspace, Calls: []Call{*c}, Known: begun(calls, c.End),
				What: fmt.Sprintf("the database never held it, but %+v", im),
			})
		}
	}
	return found
}
