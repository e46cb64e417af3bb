import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const POLL_MS = 2;

/** The command `portal` of the build. */
export const BIN = fileURLToPath(new URL('../../bin/portal.js', import.meta.url));

/**
 * The real `portal serve` in a process of its own, on a free port.
 * @param {string} project folder of the host project
 * @returns once it is ready for traffic. @throws when it ended before
 */
export async function serveCommand(project, ...more) {
  const args = [BIN, 'serve', '--cwd', project, '--port', '0', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let text = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = /Listening on (http:[\w./:]+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`portal serve ended:\n${text}`)));
  });
  while (!(await isReady(url))) await pause(POLL_MS);
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function isReady(url) {
  return fetch(`${url}/api/v1/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
