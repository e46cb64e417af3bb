import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { findBinary } from '../support/binaries.js';
import { describeWith } from '../support/describe-with.js';
import { accepts, startPrivately } from '../support/private-process.js';
import { startCaddy, startHaproxy, startNginx, startRedis, type PrivateService } from '../support/services.js';

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
};

/** Starts a proxy before an upstream that says hello, asks it once and stops both. */
async function answerThrough(start: (upstream: number) => Promise<PrivateService>): Promise<string> {
  const upstream = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  try {
    const proxy = await start((upstream.address() as AddressInfo).port);
    const answer = await fetch(`http://127.0.0.1:${proxy.port}/`).then((response) => response.text());
    await proxy.stop();
    expect(existsSync(proxy.directory)).toBe(false);
    expect(await accepts(proxy.port)).toBe(false);
    return answer;
  } finally {
    upstream.close();
  }
}

describe('private services', () => {
  it('finds programs on the path, and knows none by a name that does not exist', () => {
    expect(findBinary('sh')).toMatch(/\/sh$/);
    expect(findBinary('no-such-program')).toBeUndefined();
  });

  it('tells the end of the log of a service that does not start', async () => {
    const failing = startPrivately('broken', () => ({ program: 'sh', arguments: ['-c', 'echo no such disk; exit 3'] }));
    await expect(failing).rejects.toThrow(/broken ended with exit code 3:\nno such disk/);
  });

  it('asks for another port when somebody was quicker', async () => {
    const seen: number[] = [];
    const start = startPrivately('late', ({ port }) => {
      seen.push(port);
      return { program: 'sh', arguments: ['-c', 'echo bind: Address already in use; exit 1'] };
    });
    await expect(start).rejects.toThrow('late ended');
    expect(seen).toHaveLength(3);
  });
});

describeWith('redis', 'a private Redis', () => {
  it('dies with the process that started it, even when that is killed', async () => {
    const services = pathToFileURL(`${process.cwd()}/dist-test/test/support/services.js`).href;
    const script = `const redis = await (await import('${services}')).startRedis();
      process.stdout.write(redis.port + '\\n'); setInterval(() => undefined, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = Number(String((await once(owner.stdout, 'data'))[0]));
    expect(await accepts(port)).toBe(true);
    owner.kill('SIGKILL');
    await until(async () => !(await accepts(port)));
  });

  it('is stopped twice without harm', async () => {
    const redis = await startRedis();
    await Promise.all([redis.stop(), redis.stop()]);
    expect(await accepts(redis.port)).toBe(false);
  });
});

describeWith('nginx', 'a private nginx', () => {
  it('proxies to an upstream of the test', async () => {
    const answer = answerThrough((upstream) =>
      startNginx(
        ({ port }) => `server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream}; } }`,
      ),
    );
    expect(await answer).toBe('hello');
  });
});

describeWith('caddy', 'a private Caddy', () => {
  it('proxies to an upstream of the test', async () => {
    const answer = answerThrough((upstream) =>
      startCaddy(({ port }) => `http://127.0.0.1:${port} {\n  reverse_proxy 127.0.0.1:${upstream}\n}`),
    );
    expect(await answer).toBe('hello');
  });
});

describeWith('haproxy', 'a private HAProxy', () => {
  it('proxies to an upstream of the test', async () => {
    const answer = answerThrough((upstream) =>
      startHaproxy(
        ({ port }) =>
          `frontend portal\n  bind 127.0.0.1:${port}\n  default_backend portals\nbackend portals\n  server one 127.0.0.1:${upstream}\n`,
      ),
    );
    expect(await answer).toBe('hello');
  });
});
