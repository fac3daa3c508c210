// Releases the lock if this job still has it, and never another's.
const { statelock } = require('./statelock.js');

if (process.env['STATE_lock-id']) {
  statelock('release', ['--if-mine', '--lock-id', process.env['STATE_lock-id']], (text) => process.stdout.write(text));
}
