import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { receiverSamples, secretNameOf } from '../../src/theme/format/webhook-receivers.js';
import { findBinary } from '../support/binaries.js';
import { freePort } from '../support/ports.js';
import { startPrivately, type PrivateService } from '../support/private-process.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';
import { FakeClock } from '../support/fake-clock.js';
import { portal } from '../support/portal-command.js';

const BIN = join(process.cwd(), 'bin', 'portal.js');

let test: TestPortal;
let address: string;
let close: () => Promise<unknown>;
let listener: PrivateService | null = null;
beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const config = { server: { port, host: '127.0.0.1' }, outbound: { allow: ['127.0.0.1'] } };
  // The command has a process and a clock of its own.
  test = await startTestPortal({ config, clock: new FakeClock(new Date().toISOString()) });
  const server = await test.portal.listen();
  close = () => server.close();
});
afterAll(async () => {
  await close();
  await test.stop();
});
afterEach(async () => {
  await listener?.stop();
  listener = null;
});

async function listen(args: readonly string[], secret = ''): Promise<PrivateService> {
  listener = await startPrivately('webhooks-listen', ({ port }) => ({
    program: process.execPath,
    arguments: [BIN, 'webhooks:listen', '--port', String(port), ...args],
    environment: { PORTAL_WEBHOOK_SECRET: secret },
  }));
  await said('Ctrl-C ends it');
  return listener;
}

/** Resolves once the command has said so. */
async function said(text: string): Promise<string> {
  while (!(listener?.log().includes(text) ?? true)) await setTimeout(20);
  return listener?.log() ?? '';
}

const send = (headers: Record<string, string>, body: string, method = 'POST') =>
  fetch(`http://127.0.0.1:${listener?.port}/`, { method, headers, ...(method === 'POST' && { body }) });

/** An endpoint that is this command. */
async function endpointHere() {
  const { endpoints } = test.portal.services.webhooks;
  const url = `http://127.0.0.1:${listener?.port}/`;
  return { endpoints, ...(await endpoints.create({ url, events: ['category.*'] }, null, null)) };
}

describe('portal webhooks:listen', () => {
  it('echoes the challenge of a portal, and prints what it sends with what signed it', async () => {
    await listen(['--portal', address]);
    const { endpoints, endpoint } = await endpointHere();
    await endpoints.verify(endpoint);
    await test.portal.services.catalog.categories.create({ slug: 'maps', name: 'Maps' });
    const log = await said('"type": "category.created"');
    expect(log).toMatch(/^msg_[0-9a-f]{32} {2}signed by the portal$/m);
    expect(log).toContain('"type": "webhook.challenge"');
    expect(log).not.toContain('REFUSED');
  });

  it('checks the secret of the endpoint where no keys are to be had, and says so', async () => {
    const { port } = await listen(['--portal', `http://127.0.0.1:${await freePort()}`]);
    expect(listener?.log()).toMatch(/No keys at .*webhooks-keys.*--portal/);
    const { endpoints, endpoint, secret } = await endpointHere();
    await listener?.stop();
    listener = await startPrivately('webhooks-listen', () => ({
      program: process.execPath,
      arguments: [BIN, 'webhooks:listen', '--port', String(port), '--portal', `http://127.0.0.1:${port}`],
      environment: { PORTAL_WEBHOOK_SECRET: secret },
      isReady: () => Promise.resolve(true),
    }));
    await said('Ctrl-C ends it');
    await endpoints.verify(endpoint);
    expect(listener.log()).toMatch(/^msg_[0-9a-f]{32} {2}signed with the secret$/m);
  });

  it('refuses what nobody signed, is too old or too large, and writes nothing that steers the terminal', async () => {
    await listen(['--portal', address]);
    const now = String(Math.floor(Date.now() / 1000));
    const signed = { 'webhook-id': 'msg_1', 'webhook-signature': 'v1a,AAAA v1,AAAA' };
    const challenge = JSON.stringify({ type: 'webhook.challenge', data: { challenge: 'x' } });
    expect((await send({ ...signed, 'webhook-timestamp': now }, challenge)).status).toBe(401);
    expect((await send({ ...signed, 'webhook-timestamp': String(Number(now) - 400) }, challenge)).status).toBe(401);
    expect((await send({}, '\u001b[2J\u009b1m\u202e')).status).toBe(401);
    expect((await send({}, 'x'.repeat(70_000))).status).toBe(413);
    expect((await send({}, '', 'GET')).status).toBe(405);
    const log = await said('\\u001b[2J');
    expect(log).toContain('msg_1  REFUSED: no signature fits');
    expect(log).toContain('msg_1  REFUSED: its time is more than five minutes away');
    expect(log).not.toMatch(/[\u001b\u009b\u202e]/);
  });

  it('says what is wrong with a port, a portal or a secret', async () => {
    const run = async (args: string[], env = {}) => {
      const { exitCode, stderr } = await portal(['webhooks:listen', ...args], { cwd: process.cwd(), env });
      return [exitCode, stderr] as const;
    };
    expect(await run(['--port', '70000'])).toEqual([2, expect.stringContaining('--port must be at most')]);
    expect(await run(['--portal', 'portal'])).toEqual([2, expect.stringContaining('--portal must be the address')]);
    expect(await run(['--port', new URL(address).port, '--portal', address])).toEqual([
      1,
      expect.stringMatching(/cannot be received.*EADDRINUSE[\s\S]*another --port/),
    ]);
    expect(await run([], { PORTAL_WEBHOOK_SECRET: 'canary-of-secret' })).toEqual([
      2,
      expect.not.stringContaining('canary-of-secret'),
    ]);
  });
});

describe('the programs that pages show beside the secret of an endpoint', () => {
  const runners = { 'Node.js': [process.execPath, 'hook.mjs'], Python: ['python3', 'hook.py'] } as const;

  it.each(['Node.js', 'Python'] as const)('echo the challenge and verify what is sent: %s', async (language) => {
    const [program, file] = runners[language];
    if (language === 'Python' && findBinary(program) === undefined) return;
    const { endpoints } = test.portal.services.webhooks;
    let made: Awaited<ReturnType<typeof endpoints.create>> | undefined;
    listener = await startPrivately('receiver', async ({ port, directory }) => {
      const url = `http://127.0.0.1:${port}/`;
      made = await endpoints.create({ url, events: ['category.*'] }, null, null);
      const name = secretNameOf({ description: language, url });
      const text = receiverSamples(name).find((sample) => sample.name === language)?.text ?? '';
      symlinkSync(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
      writeFileSync(join(directory, file), text.replace('4100', String(port)));
      return { program, arguments: [join(directory, file)], environment: { [name]: made.secret } };
    });
    if (made) await endpoints.verify(made.endpoint);
    await test.portal.services.catalog.categories.create({ slug: `of-${file.slice(5)}`, name: 'Maps' });
    expect(await said('category.created')).toMatch(/msg_[0-9a-f]{32}/);
    const forged = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
    };
    const body = JSON.stringify({ type: 'webhook.challenge', data: { challenge: 'x' } });
    for (const headers of [forged, {}]) expect((await send(headers, body)).status).toBe(401);
  });
});
