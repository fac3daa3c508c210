package lockmodel

import "testing"

// Every transition tells its event, and nothing else does.
func TestEventOf(t *testing.T) {
	t.Parallel()
	l := NewLock("prod")
	for _, c := range []struct {
		r    Request
		want Event
	}{
		{
			request(Acquire, who("iam:ci"), now(t0+1)),
			Event{"prod", Acquire, Unlocked, Held, 1, "id-a", "runner-a", "iam:ci", "", "id-a", t0 + 1},
		},
		{request(Renew, now(t0+2)), Event{}},
		{request(ForceUnlock, now(t0+3)), Event{}},
		{
			request(MarkStale, id("m1"), who("iam:op"), why("it crashed"), now(t0+70_000)),
			Event{"prod", MarkStale, Held, Stale, 1, "id-a", "runner-a", "iam:op", "it crashed", "m1", t0 + 70_000},
		},
		{
			request(ForceUnlock, id("f1"), lockID("id-a"), now(t0+80_000)),
			Event{"prod", ForceUnlock, Stale, Unlocked, 1, "id-a", "runner-a", Anonymous, "", "f1", t0 + 80_000},
		},
		{
			request(Acquire, lockID("id-b"), now(t0+90_000)),
			Event{"prod", Acquire, Unlocked, Held, 2, "id-b", "runner-a", Anonymous, "", "id-b", t0 + 90_000},
		},
		{
			request(ReleaseLock, id("r1"), now(t0+91_000)),
			Event{"prod", ReleaseLock, Held, Unlocked, 2, "id-b", "runner-a", Anonymous, "", "r1", t0 + 91_000},
		},
	} {
		out := Step(l, c.r)
		got, ok := EventOf(l, out.Lock)
		if ok != (c.want != Event{}) || ok && got != c.want {
			t.Errorf("%s, %s: %+v, %v; want %+v", c.r.Op, out.Situation, got, ok, c.want)
		}
		l = out.Lock
	}
	torn := l
	torn.Holders = 2
	if e, ok := EventOf(l, torn); ok {
		t.Errorf("a write by other hands: %+v", e)
	}
}
