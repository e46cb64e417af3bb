import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const files = {
  portal: fileURLToPath(new URL('./portal-server.mjs', import.meta.url)),
  raw: fileURLToPath(new URL('../raw/server.mjs', import.meta.url)),
};

/**
 * Starts the portal or the hand-written server over a seeded database.
 * @param {'portal' | 'raw'} kind
 * @param {{ settings: object, databaseUrl: string, profileTo?: string, more?: object }} task `profileTo`: folder for a CPU profile; `more`:
 *   sections of the configuration
 */
export async function startServer(kind, { profileTo, ...task }) {
  const started = performance.now();
  const child = fork(files[kind], {
    env: { ...process.env, NODE_ENV: 'production', BENCH_TASK: JSON.stringify(task) },
    execArgv: profileTo ? ['--cpu-prof', `--cpu-prof-dir=${profileTo}`] : [],
  });
  const ended = once(child, 'exit');
  const [{ port }] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`the ${kind} server ended with exit code ${code}`))),
  ]);
  const url = `http://127.0.0.1:${port}`;
  await fetch(`${url}${task.settings.prefix}/api-products`);
  return {
    kind,
    url,
    /** From the start of the process to its first answer. */
    startMs: performance.now() - started,
    /** What the process used since the last sample: `cpuMs`, `loopDelayP99Ms`, and its `rssMiB` now. */
    async sample() {
      const answer = once(child, 'message');
      child.send('sample');
      return (await answer)[0];
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
