// Package history records what concurrent clients asked of the service and what
// they were told, and decides whether there is any way in which that can have
// come about by transitions that happened one after another.
//
// # Calls
//
// A Call is one HTTP request of a client: each try of a request is a call of its
// own, since each is answered on its own. Where the network delivers a request
// twice, the other copy is a call as well, made by nobody and answered to
// nobody. A call takes effect, if it does, between its start and its end. Its
// end is when its caller was answered; or, where the caller never learned the
// outcome, when nothing of it was under way any more; or Never, where even that
// is unknown.
//
// # Linearizability
//
// Check looks for an order of the calls of each workspace that agrees with their
// times and in which lockmodel.Step gives every answer that was given. The search
// is porcupine's (https://github.com/anishathalye/porcupine). Where that finds no
// order, a second search, of another kind, decides and shows the shortest history
// that has none: see frontier.
//
// Three things make calls less than certain, and each forks the model:
//
//   - A call whose outcome its caller never learned has landed, at any time
//     before it was over, or was lost.
//   - A call whose request reached the database several times may have landed
//     with another delivery than that which its answer comes from. The copies of
//     a write carry the time at which their call was made: Step decides about
//     each as it does about the call, however late it arrives.
//   - The service's clock is not known to the caller, only that it was read
//     during the call. Step depends on it in two ways alone: whether the lock
//     changed after the request was made, and how far the holder's lease
//     reaches. The model keeps the bounds within which those times lie, narrows
//     them by what answers show, and where they leave several possible, takes
//     any. So "late" is accepted from a call only if the lock can have changed
//     while it ran, and a late copy only where the lock can't have.
//
// Everything else in an answer must be as Step gives it, the lock that it shows
// included: state, owner, lock id, fence, and the times, which have to stay the
// same for one hold and to lie where they can.
//
// # Direct checks
//
// Direct needs neither Step nor a search, and so would see a mistake in the
// table itself: see its comment. Images does the same with the items that the
// database held.
package history
