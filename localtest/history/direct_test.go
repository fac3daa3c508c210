package history

import (
	"slices"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Each direct check finds what it is for, in histories whose answers are made
// up: no machine need have a part in it.
func TestDirect(t *testing.T) {
	t.Parallel()
	took := func(client string, id string, fence, start int64) Call {
		return Call{Client: client, Request: acquire(id), Start: at(start), End: at(start + 5), Told: true, Answer: lockmodel.Answer{
			OK: true, LockID: id, Fence: fence,
			Lock: lockmodel.View{State: lockmodel.Held, Owner: "runner-" + id, LockID: id, Fence: fence, Principal: "p:" + client},
		}}
	}
	freed := func(client string, r lockmodel.Request, fence, start int64) Call {
		r.Principal = "p:" + client
		return Call{Client: client, Request: r, Start: at(start), End: at(start + 5), Told: true, Answer: lockmodel.Answer{
			OK: true, State: lockmodel.Unlocked, Lock: lockmodel.View{State: lockmodel.Unlocked, Fence: fence},
		}}
	}
	marked := func(id string, fence, start int64) Call {
		c := took("operator", id, fence, start)
		c.Request, c.Answer.Fence, c.Answer.State, c.Answer.Lock.State = mark(id), 0, lockmodel.Stale, lockmodel.Stale
		return c
	}
	refused := func(c Call) Call {
		c.Answer.OK, c.Answer.Code, c.Deliveries = false, "some", 1
		return c
	}
	lost := func(c Call) Call {
		c.Told, c.Answer, c.End = false, lockmodel.Answer{}, Never
		return c
	}
	for name, test := range map[string]struct {
		calls []Call
		want  string // rule, "" for none
	}{
		"release":               {[]Call{took("a", "a", 1, 0), freed("a", release("a"), 1, 10), took("b", "b", 2, 20)}, ""},
		"unnamed release":       {[]Call{took("a", "a", 1, 0), freed("a", release(""), 1, 10), took("b", "b", 2, 20)}, ""},
		"lost release":          {[]Call{took("a", "a", 1, 0), lost(freed("a", release("a"), 1, 10)), took("b", "b", 2, 20)}, ""},
		"refused release":       {[]Call{took("a", "a", 1, 0), refused(freed("a", release("a"), 1, 10)), took("b", "b", 2, 20)}, NeverBulldozed},
		"another's release":     {[]Call{took("a", "a", 1, 0), lost(freed("b", release("b"), 1, 10)), took("b", "b", 2, 20)}, NeverBulldozed},
		"another's, unnamed":    {[]Call{took("a", "a", 1, 0), lost(freed("b", release(""), 1, 10)), took("b", "b", 2, 20)}, NeverBulldozed},
		"release of an earlier": {[]Call{freed("a", release("a"), 0, 0), took("a", "a", 1, 10), took("b", "b", 2, 20)}, NeverBulldozed},
		"release afterwards":    {[]Call{took("a", "a", 1, 0), took("b", "b", 2, 20), freed("a", release("a"), 2, 40)}, NeverBulldozed},
		"force-unlock":          {[]Call{took("a", "a", 1, 0), marked("a", 1, 10), freed("o", force("1"), 1, 20), took("b", "b", 2, 30)}, ""},
		"no marking":            {[]Call{took("a", "a", 1, 0), freed("o", force("1"), 1, 20), took("b", "b", 2, 30)}, NeverBulldozed},
		"marked afterwards":     {[]Call{took("a", "a", 1, 0), freed("o", force("1"), 1, 10), lost(marked("a", 1, 20)), took("b", "b", 2, 30)}, NeverBulldozed},
		"found free":            {[]Call{took("a", "a", 1, 0), refused(freed("b", force("1"), 1, 20))}, NeverBulldozed},
		"two believers":         {[]Call{took("a", "a", 1, 0), took("b", "a", 1, 2)}, OneBeliever},
		"told again":            {[]Call{took("a", "a", 1, 0), took("a", "a", 1, 2)}, ""},
		"two holds":             {[]Call{refused(took("a", "b", 1, 0)), took("a", "a", 1, 2)}, OneHoldAFence},
		"fence falls":           {[]Call{refused(took("a", "b", 2, 0)), refused(took("a", "a", 1, 20))}, FencesGrow},
		"fences overlap":        {[]Call{refused(took("a", "b", 2, 0)), refused(took("a", "a", 1, 2))}, ""},
		"fence stays":           {[]Call{freed("a", release("a"), 1, 0), took("b", "b", 1, 20)}, FencesGrow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Direct(test.calls)
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.ContainsFunc(found, func(v Violation) bool { return v.Rule == test.want }) {
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.call("a", acquire("a"), 0, 10)
	held := Image{Workspace: "ws", State: lockmodel.Held, Holders: 1, Fence: 1, LockID: "a", Runner: "runner-a"}
	with := func(f func(*Image)) Image {
		im := held
		f(&im)
		return im
	}
	for name, test := range map[string]struct {
		images []Image
		want   string
	}{
		"as told":       {[]Image{held}, ""},
		"stale":         {[]Image{held, with(func(im *Image) { im.State = lockmodel.Stale })}, ""},
		"freed":         {[]Image{held, {Workspace: "ws", State: lockmodel.Unlocked, Fence: 1}}, ""},
		"never":         {nil, ToldWasStored},
		"elsewhere":     {[]Image{with(func(im *Image) { im.Workspace = "other" })}, ToldWasStored},
		"other fence":   {[]Image{with(func(im *Image) { im.Fence = 2 })}, ToldWasStored},
		"other holder":  {[]Image{held, with(func(im *Image) { im.LockID, im.Runner = "b", "b" })}, StoredWasSingle},
		"two holders":   {[]Image{held, with(func(im *Image) { im.Holders = 2 })}, StoredWasWhole},
		"no holder":     {[]Image{held, with(func(im *Image) { im.Holders = 0 })}, StoredWasWhole},
		"free and held": {[]Image{held, with(func(im *Image) { im.State = lockmodel.Unlocked })}, StoredWasWhole},
		"no fence":      {[]Image{held, with(func(im *Image) { im.Fence = 0 })}, StoredWasWhole},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Images(test.images, w.calls)
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.ContainsFunc(found, func(v Violation) bool { return v.Rule == test.want }) {
				t.Errorf("found %v", found)
			}
		})
	}
}
