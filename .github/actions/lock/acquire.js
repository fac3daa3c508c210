// Acquires the lock. Its name is made and kept first, so that the post-step
// knows it whatever happens here.
const { randomUUID } = require('node:crypto');
const { appendFileSync } = require('node:fs');
const { statelock } = require('./statelock.js');

const id = randomUUID();
appendFileSync(process.env.GITHUB_STATE, `lock-id=${id}\n`);

const flags = ['--lock-id', id, '--wait', process.env.INPUT_WAIT || '0s', '--env'];
if (process.env.INPUT_LEASE) {
  flags.push('--lease', process.env.INPUT_LEASE);
}
statelock('acquire', flags, (lines) => {
  appendFileSync(process.env.GITHUB_ENV, lines);
  const fence = /^STATELOCK_FENCE=(\d+)$/m.exec(lines)[1];
  appendFileSync(process.env.GITHUB_OUTPUT, `lock-id=${id}\nfence=${fence}\n`);
});
