// Runs the command statelock for the action's workspace.
const { spawn } = require('node:child_process');

// statelock ends this process with the command's exit code. done gets what it
// printed, if it went well.
exports.statelock = (command, flags, done) => {
  const args = [command, '--ws', process.env.INPUT_WS, ...flags];
  if (process.env.INPUT_URL) {
    args.push('--url', process.env.INPUT_URL);
  }
  const child = spawn('statelock', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  // A job that is cancelled interrupts this process alone. Left behind, an
  // acquire would go on waiting, and might get the lock after the post-step.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => child.kill(signal));
  }
  let text = '';
  child.stdout.on('data', (data) => { text += data; });
  child.on('error', (error) => {
    console.error(`statelock: ${error.message}`);
    process.exit(127);
  });
  child.on('close', (code) => {
    if (code === 0) {
      done(text);
    }
    process.exit(code ?? 1);
  });
};
