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
// is porcupine's (https://github.com/anishathalye/porcupine). Three things make
// calls less than certain, and each forks the model:
//
//   - A call whose outcome its caller never learned has landed or was lost: the
//     model goes on with both.
//   - A call whose request reached the database several times may have landed
//     earlier than with the delivery that its answer comes from. So the model
//     has the same call once more, with an unknown outcome, within its time.
//     Beyond that time a copy must not have any effect: it would find no place
//     in any order.
//   - The service's clock is not known to the caller, only that it was read
//     during the call. Step depends on it in two ways alone: whether the lock
//     changed after the request was made, and whether the holder's lease has
//     ended. The model keeps the bounds within which those times lie, narrows
//     them by what answers show, and where they leave both possible, takes
//     either. So "late" is accepted from a call exactly if the lock can have
//     changed while it ran.
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
