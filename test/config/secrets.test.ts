import { generateKeyPairSync } from 'node:crypto';
import { maskOption, parseKey, portalOptions, resolveConfig } from '../../src/config/index.js';
import { faultsOf, JWT_SECRET, KEY, PRODUCTION, resolve } from './support.js';

const production = (env: Record<string, string>, definition: unknown = {}) =>
  faultsOf(() => resolveConfig({ definition, env: { ...PRODUCTION, ...env } }));

describe('the master key', () => {
  it('is read as base64, hexadecimal or plain text of 32 bytes', () => {
    expect(parseKey(KEY)).toHaveLength(32);
    expect(parseKey('0f'.repeat(32))).toHaveLength(32);
    expect(parseKey('q'.repeat(40))).toHaveLength(40);
  });

  it.each(['base64:c2hvcnQ=', 'base64:%%%%', 'short', '0f'.repeat(15)])('refuses %s', (key) => {
    expect(() => parseKey(key)).toThrow(RangeError);
  });
});

describe('secrets in production', () => {
  it('accepts good ones', async () => {
    expect(await production({})).toEqual([]);
  });

  it.each([
    [{ APP_KEY: '' }, 'app.key'],
    [{ APP_KEY: 'base64:c2hvcnQ=' }, 'app.key'],
    [{ APP_KEY: `base64:${Buffer.alloc(32).toString('base64')}` }, 'app.key'],
    [{ PORTAL_API_JWT_SECRET: '' }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_SECRET: 'tooshort-tooshort-tooshort-4b2x' }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_SECRET: 'your-256-bit-secret-goes-here-please-1' }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_SECRET: 'change-me-change-me-change-me-change-me' }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_SECRET: 'a'.repeat(64) }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_SECRET: KEY }, 'portalApi.jwtSecret'],
    [{ PORTAL_API_JWT_PREVIOUS_SECRETS: JWT_SECRET }, 'portalApi.jwtPreviousSecrets'],
    [{ VERIFY_SECRET: 'x7Kd' }, 'verify.secret'],
    [{ VERIFY_SECRET: JWT_SECRET }, 'verify.secret'],
  ])('refuses %j, naming %s', async (env, path) => {
    const faults = await production(env);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${path.replace('.', '\\.')} `));
  });

  it('takes the same key in another spelling for the same', async () => {
    const faults = await production({ VERIFY_SECRET: parseKey(KEY).toString('hex') });
    expect(faults).toEqual([expect.stringContaining('must differ from app.key')]);
  });

  it('tells every bad secret at once', async () => {
    expect(await production({ APP_KEY: 'x', PORTAL_API_JWT_SECRET: 'y', APP_URL: 'http://p.example' })).toHaveLength(3);
  });
});

describe('unsafe values', () => {
  it('warn in development and are silent in tests', () => {
    expect(resolve({}, { VERIFY_SECRET: 'short' }).warnings).toEqual([expect.stringContaining('32 bytes')]);
    expect(resolve({}, { VERIFY_SECRET: 'short', APP_ENV: 'test' }).warnings).toEqual([]);
  });

  it('are none when a secret of tokens is too short to sign with: that is told anywhere, with variable and fix', async () => {
    for (const APP_ENV of ['development', 'test']) {
      expect(await faultsOf(() => resolve({}, { PORTAL_API_JWT_SECRET: 'short', APP_ENV }))).toEqual([
        'portalApi.jwtSecret (PORTAL_API_JWT_SECRET, from the environment): must hold at least 32 bytes; this one holds 5. ' +
          'Fix: set it to the output of `openssl rand -base64 48`.',
      ]);
    }
    expect(await faultsOf(() => resolve({}, { PORTAL_API_JWT_PREVIOUS_SECRETS: 'short' }))).toEqual([
      expect.stringMatching(
        /^portalApi\.jwtPreviousSecrets \(PORTAL_API_JWT_PREVIOUS_SECRETS, .*32 bytes.*Fix: take it out/,
      ),
    ]);
  });

  it('refuse plain http in production unless it is allowed', async () => {
    expect(await production({ APP_URL: 'http://portal.example.com' })).toEqual([expect.stringContaining('plain http')]);
    expect(await production({ APP_URL: 'http://portal.example.com', APP_ALLOW_HTTP: 'true' })).toEqual([]);
    expect(await production({ APP_URL: '' })).toEqual([expect.stringContaining('is required in production')]);
  });

  it('refuse sessions in memory in production and warn when both layers of authorization are off', async () => {
    expect(await production({ SESSION_STORE: 'memory' })).toHaveLength(1);
    const { warnings } = resolve({ portalApi: { rbac: { enabled: false }, usePolicies: false } });
    expect(warnings).toEqual([expect.stringContaining('both off')]);
  });
});

describe('signing keys', () => {
  const pem = (curve: string) =>
    generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('replace the secret when both contexts have one, also on one line of .env', () => {
    const env = {
      PORTAL_API_JWT_SECRET: '',
      PORTAL_API_JWT_KEYS_CONSUMER: pem('P-256').replaceAll('\n', '\\n'),
      PORTAL_API_JWT_KEYS_ADMIN: pem('P-256'),
    };
    expect(resolve({}, env).config.portalApi.jwtKeys.consumer).toContain('KEY-----\n');
  });

  it('must be readable, of a supported kind and different', async () => {
    const same = pem('P-256');
    const keys = (consumer: string, admin: string) =>
      faultsOf(() => resolve({ portalApi: { jwtKeys: { consumer, admin } } }));
    expect(await keys('nonsense', pem('P-256'))).toEqual([expect.stringContaining('cannot be read')]);
    expect(await keys(pem('P-384'), pem('P-256'))).toEqual([expect.stringContaining('only RSA and EC P-256')]);
    expect(await keys(same, same)).toEqual([expect.stringContaining('must differ')]);
  });
});

describe('a value that is shown', () => {
  it('hides secrets and the password inside a URL', () => {
    expect(maskOption(portalOptions.app.key, KEY)).toBe('********');
    expect(maskOption(portalOptions.app.key, '')).toBe('');
    expect(maskOption(portalOptions.database.url, 'mysql://u:p@ss@h/db')).toBe('mysql://u:********@h/db');
    const driver = { kind: 'map', default: {}, description: '' } as const;
    expect(maskOption(driver, { adminToken: 'x', url: 'http://a:b@c' })).toEqual({
      adminToken: '********',
      url: 'http://a:********@c',
    });
  });
});
