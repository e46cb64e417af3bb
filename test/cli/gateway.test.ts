import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FakeApigee } from '../support/fake-apigee.js';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startPrivately } from '../support/private-process.js';

const CONFIG = "import { defineConfig } from 'portalkit';\nexport default defineConfig({});\n";
const BIN = join(process.cwd(), 'bin', 'portal.js');
let cwd: string;
let fake: FakeApigee;
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  portal(args, { cwd, env: { ...SECRETS, APP_ENV: 'test', ...settings(), ...env } });

function settings(): Record<string, string> {
  const entries = Object.entries(fake.settings());
  const named = entries.map(([name, value]) => [`GATEWAY_APIGEE_${name.toUpperCase()}`, value] as const);
  // The contract makes a thousand calls; the stand-in has no quota that they would have to keep.
  return { GATEWAY_DRIVER: 'apigee', GATEWAY_APIGEE_CALLS_PER_MINUTE: '600000', ...Object.fromEntries(named) };
}

beforeAll(async () => {
  cwd = await folderWith({ 'portal.config.ts': CONFIG });
  fake = await FakeApigee.start({ flavour: 'x', products: [{ name: 'payments' }, { name: 'accounts' }] });
  await run(['migrate']);
});
afterAll(() => fake.stop());

describe('portal gateway:test', () => {
  it('prints what the gateway can do, tries every key at its door, and leaves nothing behind', async () => {
    const { stdout, exitCode } = await run(['gateway:test', '--door', fake.door]);
    expect(stdout).toMatch(/^What apigee can do$/m);
    expect(stdout).toMatch(/^expiry +fixed +keys end by themselves$/m);
    expect(stdout).toMatch(/^✓ closes a key with its app, and opens it again$/m);
    expect(stdout).toMatch(/^– ends a key at its time \(nobody can move the clock of this gateway\)$/m);
    expect(stdout).not.toContain('✗');
    expect(exitCode).toBe(0);
    expect(fake.organization.developers.size).toBe(0);
  });

  it('fails with the reason when a promise is not kept', async () => {
    // Everything that would close a key is accepted, and nothing happens.
    fake.fail({ kind: 'slow', path: 'action=', times: Infinity });
    const { stdout, exitCode } = await run([
      'gateway:test',
      '--json',
      '--door',
      `${fake.url}/stand-in/state?{product}`,
    ]);
    fake.mend();
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Record<string, unknown>[] };
    expect(ok).toBe(false);
    expect(checks).toContainEqual({
      name: 'closes a key with its app, and opens it again',
      outcome: 'failed',
      reason: 'the key does not open payments after its app was closed',
      milliseconds: expect.any(Number),
    });
    expect(exitCode).toBe(1);
  });

  it('asks before it touches a gateway in production, and names a door that is none', async () => {
    const production = { APP_ENV: 'production', APP_URL: 'https://portal.example.com', GATEWAY_DRIVER: 'local' };
    expect(await run(['gateway:test'], production)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await run(['gateway:test', '--door', 'nowhere'])).toMatchObject({ exitCode: 2 });
  });
});

describe('portal gateway:fake', () => {
  it('serves an organization and prints the settings of a portal that uses it', async () => {
    const products = ['--products', 'payments', 'accounts'];
    const fake = await startPrivately('gateway-fake', ({ port }) => ({
      program: process.execPath,
      arguments: [BIN, 'gateway:fake', '--port', String(port), '--platform', 'edge', ...products],
    }));
    // It listens a moment before it says so.
    while (!fake.log().includes('Ctrl-C ends it')) await setTimeout(20);
    const lines = fake.log().matchAll(/^(GATEWAY_\w+)=(.*)$/gm);
    const env = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
    expect(env).toMatchObject({ GATEWAY_DRIVER: 'apigee', GATEWAY_APIGEE_PLATFORM: 'edge' });
    const door = `http://127.0.0.1:${fake.port}/proxies/{product}`;
    const { stdout, exitCode } = await run(['gateway:test', '--door', door], env);
    await fake.stop();
    expect(stdout).toContain('✓ closes a key with its app');
    expect(exitCode).toBe(0);
  });
});

describe('portal doctor', () => {
  const gatewayOf = async (env: Record<string, string> = {}) => {
    await run(['migrate'], env);
    const { stdout } = await run(['doctor', '--json'], env);
    const { checks } = JSON.parse(stdout) as { checks: { check: string }[] };
    return checks.filter(({ check }) => check.startsWith('gateway'));
  };

  it('looks after the key of the service account', async () => {
    const file = join(cwd, 'key.json');
    const env = { GATEWAY_APIGEE_TOKEN: '', GATEWAY_APIGEE_CREDENTIALS_FILE: 'key.json' };
    const check = async () => {
      const { checks } = JSON.parse((await run(['doctor', '--json'], env)).stdout) as { checks: { check: string }[] };
      return checks.find(({ check: name }) => name === 'service-account');
    };
    expect(await check()).toMatchObject({ status: 'failure', message: `${file} is not there` });
    await writeFile(file, JSON.stringify(fake.tokens.serviceAccount(`${fake.url}/token`)), { mode: 0o644 });
    expect(await check()).toMatchObject({ status: 'warning', fix: `chmod 600 ${file}` });
    await chmod(file, 0o600);
    expect(await check()).toMatchObject({ status: 'ok' });
  });

  it('asks Apigee, and says what to do when it is not the one that was configured', async () => {
    expect(await gatewayOf()).toMatchObject([{ check: 'gateway', status: 'ok', message: 'apigee answers' }]);
    const message = expect.stringContaining('acme is an organization of x, not of edge');
    expect(await gatewayOf({ GATEWAY_APIGEE_PLATFORM: 'edge' })).toMatchObject([{ status: 'failure', message }]);
    expect(await gatewayOf({ GATEWAY_APIGEE_TOKEN: 'stale' })).toMatchObject([
      { status: 'failure', message: expect.stringContaining('401') },
    ]);
  });

  it('names products that the gateway does not know', async () => {
    await run(['migrate']);
    await run(['demo:seed']);
    const [, products] = await gatewayOf();
    expect(products).toMatchObject({
      check: 'gateway-products',
      status: 'warning',
      fix: expect.stringMatching(/create them/),
    });
  });
});
