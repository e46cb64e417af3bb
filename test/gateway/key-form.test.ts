import { readFile } from 'node:fs/promises';
import { defaultKeys, type KeysConfig } from '../../src/gateway/config.js';
import { createKeyCheck, keyHash, keyPattern, newKeyPair } from '../../src/gateway/local/key-material.js';
import { faultsOf, PRODUCTION, resolve } from '../config/support.js';
import { Developer, readKeyAccess, verify } from '../support/apps.js';
import { createProduct } from '../support/factories.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACME: KeysConfig = { prefix: 'acme', environment: 'test' };
const canExist = createKeyCheck(ACME);

describe('a key of the local gateway', () => {
  it('has prefix, environment and a body of its own, with a checksum; a secret says what it is', () => {
    const { consumerKey, consumerSecret } = newKeyPair(defaultKeys);
    expect(consumerKey).toMatch(/^portal_live_[0-9A-Za-z]{38}$/);
    expect(consumerSecret).toMatch(/^portal_live_secret_[0-9A-Za-z]{38}$/);
  });

  it('can exist and is found by secret scanners, ten thousand times, and none comes twice', () => {
    const pattern = new RegExp(keyPattern(ACME));
    const texts = Array.from({ length: 10_000 }, () => Object.values(newKeyPair(ACME))).flat();
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => !canExist(text))).toEqual([]);
    expect(texts.filter((text) => pattern.exec(`curl -H "X-API-Key: ${text}" \\`)?.[0] !== text)).toEqual([]);
  });

  it('ends differently from others, although its end is the checksum', () => {
    const endings = Array.from({ length: 1_000 }, () => newKeyPair(ACME).consumerKey.slice(-4));
    // Of 14.7 million endings: more than five doubles among a thousand would be no accident.
    expect(new Set(endings).size).toBeGreaterThan(995);
  });

  it('has the checksum of the examples that we print', async () => {
    const isOurs = createKeyCheck(defaultKeys);
    const found = new RegExp(keyPattern(defaultKeys), 'g');
    for (const file of ['docs/gateways.md', 'src/api/apps/schema.ts', 'templates/apidocs/examples.json']) {
      const printed = (await readFile(file, 'utf8')).match(found) ?? [];
      expect([file, printed.length > 0, printed.filter((key) => !isOurs(key))]).toEqual([file, true, []]);
    }
  });
});

describe('what claims to be a key and is none', () => {
  it('is told by every single wrong character', () => {
    const { consumerKey } = newKeyPair(ACME);
    for (let place = 'acme_test_'.length; place < consumerKey.length; place += 1) {
      for (const letter of LETTERS.replace(consumerKey.charAt(place), '')) {
        const wrong = consumerKey.slice(0, place) + letter + consumerKey.slice(place + 1);
        expect([wrong, canExist(wrong)]).toEqual([wrong, false]);
      }
    }
  });

  it('is told when cut, extended, renamed, or put together of two', () => {
    const { consumerKey: key, consumerSecret: secret } = newKeyPair(ACME);
    const wrong = [
      ...[key.slice(0, -1), `${key}0`, `${key}_`, `${key}-x`, 'acme_test_', 'acme_live_short', key + key],
      ...[key.replace('_test_', '_live_'), secret.replace('secret_', ''), key.replace('_test_', '_test_secret_')],
      `acme_test_${'0'.repeat(38)}`,
    ];
    expect(wrong.filter(canExist)).toEqual([]);
  });

  it('does not include what never claimed it: keys of before, of another prefix, of anybody', () => {
    const of = (prefix: string) => newKeyPair({ ...ACME, prefix }).consumerKey;
    const others = [
      ...[`pk_${'0'.repeat(32)}`, `sk_${'Z'.repeat(32)}`, '8letters', 'x'.repeat(255), '-_-_-_-_', 'acme-live-key'],
      ...[of('portal'), of('acme2'), `portal_live_${'0'.repeat(38)}`, `Acme_test_${'0'.repeat(38)}`, 'acme_staging_1'],
    ];
    expect(others.filter((key) => !canExist(key))).toEqual([]);
    expect(['short', 'with space inside', 'x'.repeat(256), 'schlüssel', ''].filter(canExist)).toEqual([]);
  });
});

describe('keys.prefix and keys.environment', () => {
  it('are portal and what app.env suggests, unless something else is set', () => {
    const keysOf = (env: Record<string, string>) => resolve({}, env).config.keys;
    expect(keysOf({})).toEqual({ prefix: 'portal', environment: 'test' });
    expect(keysOf(PRODUCTION)).toEqual({ prefix: 'portal', environment: 'live' });
    const staging = { ...PRODUCTION, KEYS_PREFIX: 'acme', KEYS_ENVIRONMENT: 'test' };
    expect(keysOf(staging)).toEqual({ prefix: 'acme', environment: 'test' });
  });

  it.each(['', 'a', 'Acme', 'acme_live', 'acme-pay', '4you', 'a'.repeat(17), 'pk', 'sk', 'rk'])(
    'refuse the prefix %j',
    async (prefix) => {
      const faults = await faultsOf(() => resolve({ keys: { prefix } }));
      expect(faults).toEqual([expect.stringContaining('keys.prefix')]);
    },
  );
});

describe('asked about a key', () => {
  let test: TestPortal;
  let ada: Developer;
  beforeAll(async () => {
    test = await startTestPortal({ replicas: 1 });
    await createProduct(test, { slug: 'payments' });
    ada = await Developer.create(test);
  });
  afterAll(() => test.stop());

  /** How many statements of any kind the answer cost. */
  async function statementsOf(key: string): Promise<[reason: string, statements: number]> {
    const { database } = test.portal;
    const names = ['select', 'execute', 'write', 'transaction'] as const;
    const spies = names.map((name) => jest.spyOn(database, name));
    const { headers } = await verify(test, key);
    const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    return [headers.get('x-auth-reason') ?? 'open', count];
  }

  it('the gateway spends no statement on one that cannot exist, and one on any other', async () => {
    const { key, secret } = await ada.createApp('counted', ['payments']);
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const junk of [wrong, key.slice(0, -1), `portal_live_${'0'.repeat(38)}`, `${key}!`, 'short']) {
      expect([junk, ...(await statementsOf(junk))]).toEqual([junk, 'malformed_key', 0]);
    }
    expect((await verify(test, wrong)).status).toBe(401);
    const unknown = [secret, newKeyPair({ prefix: 'portal', environment: 'live' }).consumerKey, `pk_${'0'.repeat(32)}`];
    for (const other of unknown) expect(await statementsOf(other)).toEqual(['unknown_key', 1]);
  });

  it('it opens with one of before, and with one of an earlier prefix or environment', async () => {
    const { database } = test.portal;
    const old = `pk_${'W4rZ9yQk'.repeat(4)}`;
    const { id } = await ada.createApp('old', ['payments']);
    const changed = 'UPDATE portal_gateway_keys SET key_hash = ? WHERE portal_id = ?';
    await database.execute(changed, [keyHash(old), String(id)]);
    const { key } = await ada.createApp('recent', ['payments']);
    for (const keys of [
      { prefix: 'acme' },
      { environment: 'live' },
      { prefix: 'pkey', environment: 'live' },
    ] as const) {
      const later = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock, config: { keys } });
      expect([keys, await readKeyAccess(later, old), await readKeyAccess(later, key)]).toEqual([keys, 'open', 'open']);
      await later.stop();
    }
    expect(await readKeyAccess(test, old)).toBe('open');
  });
});
