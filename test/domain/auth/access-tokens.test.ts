import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { type AuthContext } from '../../../src/domain/auth/index.js';
import { JwtKeys } from '../../../src/domain/auth/tokens/jwt-keys.js';
import { AccessTokens } from '../../../src/domain/auth/tokens/access-tokens.js';
import { ConfigurationError, UnauthenticatedError } from '../../../src/core/index.js';
import { FakeClock } from '../../support/fake-clock.js';

type KeySettings = ConstructorParameters<typeof JwtKeys>[0];
type Json = Record<string, unknown>;

const ISSUER = 'https://portal.example.com';
const SID = '0f8fad5bd9cb469fa16570867728950e';
const SECRET = 'qP7mXv2LkTz9RdWnY4HsGf8JbCe6UaVo1iNxQw5E';
const NO_KEYS: KeySettings = {
  jwtSecret: '',
  jwtPreviousSecrets: [],
  jwtKeys: { consumer: '', admin: '' },
  jwtPreviousKeys: { consumer: [], admin: [] },
};

function pem(kind: 'rsa' | 'ec'): string {
  const { privateKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function setUp(settings: Partial<KeySettings> = { jwtSecret: SECRET }, clock = new FakeClock()) {
  const keys = new JwtKeys({ ...NO_KEYS, ...settings });
  const tokens = new AccessTokens({ clock, keys, issuer: () => ISSUER, ttl: 900 });
  return { clock, keys, tokens };
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const { clock, keys, tokens } = setUp();
const now = Math.floor(clock.now().getTime() / 1000);
const key = keys.current('consumer');
const good: Json = {
  iss: ISSUER,
  aud: 'portal:consumer',
  sub: '7',
  ctx: 'consumer',
  sid: SID,
  jti: randomBytes(16).toString('base64url'),
  iat: now,
  exp: now + 900,
};
const header: Json = { alg: 'HS256', typ: 'at+jwt', kid: key.kid };

/** Signed as the portal signs, whatever header and claims say. */
function signed(claims: unknown = good, head: Json = header, secret: KeyObject | string = key.signing): string {
  const body = `${encode(head)}.${encode(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

const without = (...names: string[]): Json =>
  Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name)));
const accepts = (token: string, context: AuthContext = 'consumer', by: AccessTokens = tokens): boolean => {
  try {
    by.verify(token, context);
    return true;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return false;
    throw error;
  }
};

const rsa = pem('rsa');
const [goodHead = '', goodBody = '', goodSignature = ''] = signed().split('.');
const admin = keys.current('admin');

const forged: readonly (readonly [string, string])[] = [
  ['no token at all', ''],
  ['one part', 'x'],
  ['two parts', `${goodHead}.${goodBody}`],
  ['four parts', `${signed()}.x`],
  ['no signature', `${goodHead}.${goodBody}.`],
  [
    'a changed signature',
    `${goodHead}.${goodBody}.${goodSignature.startsWith('A') ? 'B' : 'A'}${goodSignature.slice(1)}`,
  ],
  ['changed claims', `${goodHead}.${encode({ ...good, sub: '8' })}.${goodSignature}`],
  ['alg none, unsigned', `${encode({ ...header, alg: 'none' })}.${goodBody}.`],
  ['alg None, signed', signed(good, { ...header, alg: 'None' })],
  [
    'alg HS384 under the same key id',
    jwt.sign(good, key.signing, { algorithm: 'HS384', header: { alg: 'HS384', typ: 'at+jwt', kid: key.kid } }),
  ],
  [
    'alg RS256 under an HS256 key id',
    jwt.sign(good, rsa, { algorithm: 'RS256', header: { alg: 'RS256', typ: 'at+jwt', kid: key.kid } }),
  ],
  ['no alg', signed(good, { typ: 'at+jwt', kid: key.kid })],
  ['a list of algs', signed(good, { ...header, alg: ['HS256'] })],
  ['no typ', signed(good, { alg: 'HS256', kid: key.kid })],
  ['typ JWT', signed(good, { ...header, typ: 'JWT' })],
  ['no kid', signed(good, { alg: 'HS256', typ: 'at+jwt' })],
  ['an unknown kid', signed(good, { ...header, kid: 'unknown' })],
  ['a kid that is a path, signed with nothing', signed(good, { ...header, kid: '../../dev/null' }, '')],
  ['kid __proto__', signed(good, { ...header, kid: '__proto__' }, '')],
  ['kid constructor', signed(good, { ...header, kid: 'constructor' }, '')],
  ['a numeric kid', signed(good, { ...header, kid: 1 })],
  ['a list of kids', signed(good, { ...header, kid: [key.kid] })],
  ['crit', signed(good, { ...header, crit: ['exp'] })],
  ['jku', signed(good, { ...header, jku: 'https://evil.example/jwks' })],
  ['jwk', signed(good, { ...header, jwk: { kty: 'oct', k: 'AA' } })],
  ['x5u', signed(good, { ...header, x5u: 'https://evil.example/x' })],
  ['x5c', signed(good, { ...header, x5c: ['AA'] })],
  ['a header that is a list', `${encode([header])}.${goodBody}.${goodSignature}`],
  ['a header that is not JSON', `${encode('{')}.${goodBody}.${goodSignature}`],
  ['the key of the admin context', signed(good, header, admin.signing)],
  ['the key id of the admin context', signed(good, { ...header, kid: admin.kid }, admin.signing)],
  ['the secret itself as key', signed(good, header, SECRET)],
  ['claims that are a text', signed('"text"')],
  ['claims that are a list', signed([good])],
  ['claims that are null', signed('null')],
  ...Object.keys(good).map((name): readonly [string, string] => [`no ${name}`, signed(without(name))]),
  ['another issuer', signed({ ...good, iss: 'https://evil.example' })],
  ['a list of issuers', signed({ ...good, iss: [ISSUER] })],
  ['the other audience', signed({ ...good, aud: 'portal:admin' })],
  ['both audiences', signed({ ...good, aud: ['portal:consumer', 'portal:admin'] })],
  ['the other context', signed({ ...good, ctx: 'admin' })],
  ['a numeric sub', signed({ ...good, sub: 7 })],
  ['a list as sub', signed({ ...good, sub: ['7'] })],
  ['a sub that is no id', signed({ ...good, sub: '7e0' })],
  ['sub 0', signed({ ...good, sub: '0' })],
  ['a short sid', signed({ ...good, sid: 'abc' })],
  ['an object as sid', signed({ ...good, sid: { toString: SID } })],
  ['a jti of fewer than 128 bits', signed({ ...good, jti: 'abc' })],
  ['a numeric jti', signed({ ...good, jti: 12345 })],
  ['iat as text', signed({ ...good, iat: String(now) })],
  ['exp as text', signed({ ...good, exp: String(now + 900) })],
  ['exp between two seconds', signed({ ...good, exp: now + 0.5 })],
  ['exp beyond every number', signed(JSON.stringify({ ...good, exp: 1 }).replace('"exp":1', '"exp":1e999'))],
  ['an expired token', signed({ ...good, iat: now - 906, exp: now - 6 })],
  ['iat in the future', signed({ ...good, iat: now + 6, exp: now + 600 })],
  ['a life of a second too many', signed({ ...good, exp: now + 901 })],
  ['a life of a day', signed({ ...good, exp: now + 86_400 })],
  ['exp before iat', signed({ ...good, iat: now + 4, exp: now + 3 })],
  ['not yet valid', signed({ ...good, nbf: now + 60 })],
  ['not yet valid by a second', signed({ ...good, nbf: now + 6 })],
  ['nbf as text', signed({ ...good, nbf: String(now) })],
  ['a dot too many between its parts', `${goodHead}..${goodBody}.${goodSignature}`],
  ['a dot before it', `.${signed()}`],
  ['a dot after it', `${signed()}.`],
  ['its signature twice', `${signed()}${goodSignature}`],
  ['a space in it', `${goodHead}.${goodBody} .${goodSignature}`],
  ['padding', `${goodHead}=.${goodBody}=.${goodSignature}=`],
  ['its parts in another order', `${goodBody}.${goodHead}.${goodSignature}`],
  ['zip', signed(good, { ...header, zip: 'DEF' })],
  ['b64', signed(good, { ...header, b64: false })],
  ['alg twice', `${encode(`{"alg":"none",${JSON.stringify(header).slice(1)}`)}.${goodBody}.${goodSignature}`],
  ['a kid with a NUL', signed(good, { ...header, kid: `${key.kid}\0` })],
  ['a kid that is SQL', signed(good, { ...header, kid: "x' UNION SELECT 'k" }, 'k')],
  ['a kid that is a URL', signed(good, { ...header, kid: 'https://evil.example/key' }, '')],
  ['an empty key', signed(good, header, '')],
  ['the key id as key', signed(good, header, key.kid)],
  ['the shape of a refresh token', `prt_${'A'.repeat(71)}`],
];

describe('an access token', () => {
  it('is accepted as the portal signs it, and in the form of the table below', () => {
    const { token, expiresIn } = tokens.sign({ context: 'consumer', id: 7 }, SID);
    expect(tokens.verify(token, 'consumer')).toEqual({ context: 'consumer', accountId: 7, sid: SID });
    expect(accepts(signed())).toBe(true);
    const decoded = jwt.decode(token, { complete: true });
    expect(decoded?.header).toEqual(header);
    const claims = decoded?.payload as Json;
    expect(Object.keys(claims).sort()).toEqual(Object.keys(good).sort());
    expect(claims).toEqual({ ...good, jti: claims.jti });
    expect(expiresIn).toBe(900);
    expect(Buffer.from(String(claims.jti), 'base64url')).toHaveLength(16);
  });

  it('is of its context only', () => {
    const { token } = tokens.sign({ context: 'consumer', id: 7 }, SID);
    expect(accepts(token, 'admin')).toBe(false);
    expect(accepts(tokens.sign({ context: 'admin', id: 7 }, SID).token, 'consumer')).toBe(false);
  });

  it.each(forged)('is refused with %s', (_name, token) => {
    expect(accepts(token)).toBe(false);
  });

  it('allows five seconds between the clocks of two replicas and not one more', () => {
    expect(accepts(signed({ ...good, iat: now - 904, exp: now - 4 }))).toBe(true);
    expect(accepts(signed({ ...good, iat: now - 905, exp: now - 5 }))).toBe(false);
    expect(accepts(signed({ ...good, iat: now + 5, exp: now + 600 }))).toBe(true);
  });

  it('is refused after its end, by the clock of the portal', () => {
    const own = setUp();
    const { token } = own.tokens.sign({ context: 'consumer', id: 7 }, SID);
    own.clock.advance(904);
    expect(accepts(token, 'consumer', own.tokens)).toBe(true);
    own.clock.advance(1);
    expect(accepts(token, 'consumer', own.tokens)).toBe(false);
  });
});

describe('signing keys', () => {
  it.each([
    ['RS256', 'rsa'],
    ['ES256', 'ec'],
  ] as const)('sign %s when a PEM key is given, one for each context', (algorithm, kind) => {
    const own = setUp({ jwtKeys: { consumer: pem(kind), admin: pem(kind) } });
    const { token } = own.tokens.sign({ context: 'consumer', id: 7 }, SID);
    expect(jwt.decode(token, { complete: true })?.header).toMatchObject({ alg: algorithm, typ: 'at+jwt' });
    expect(accepts(token, 'consumer', own.tokens)).toBe(true);
    expect(accepts(token, 'admin', own.tokens)).toBe(false);
  });

  it('never take a public key for an HMAC secret', () => {
    const consumer = pem('rsa');
    const own = setUp({ jwtKeys: { consumer, admin: pem('rsa') } });
    const { kid } = own.keys.current('consumer');
    const publicPem = createPublicKey(consumer).export({ format: 'pem', type: 'spki' }).toString();
    for (const alg of ['HS256', 'RS256']) {
      expect(accepts(signed(good, { alg, typ: 'at+jwt', kid }, publicPem), 'consumer', own.tokens)).toBe(false);
    }
  });

  it('that were replaced are accepted while they are listed, without one refusal', () => {
    const older = setUp();
    const next = { jwtSecret: 'Zk4wNq8RtYp2SdFg6HjKlXc0VbMn7QeWu9IoPa3L', jwtPreviousSecrets: [SECRET] };
    const rolling = setUp(next);
    const retired = setUp({ ...next, jwtPreviousSecrets: [] });
    const old = older.tokens.sign({ context: 'consumer', id: 7 }, SID).token;
    const fresh = rolling.tokens.sign({ context: 'consumer', id: 7 }, SID).token;
    expect([accepts(old, 'consumer', rolling.tokens), accepts(fresh, 'consumer', rolling.tokens)]).toEqual([
      true,
      true,
    ]);
    expect([accepts(old, 'consumer', retired.tokens), accepts(fresh, 'consumer', older.tokens)]).toEqual([
      false,
      false,
    ]);
  });

  it('of PEM files are replaced the same way, in their own context only', () => {
    const [first, second] = [pem('ec'), pem('rsa')];
    const older = setUp({ jwtSecret: SECRET, jwtKeys: { consumer: first, admin: '' } });
    const publicPem = createPublicKey(first).export({ format: 'pem', type: 'spki' }).toString();
    const previous = (context: AuthContext) => ({ consumer: [], admin: [], [context]: [publicPem] });
    const keysNow = { jwtSecret: SECRET, jwtKeys: { consumer: second, admin: '' } };
    const token = older.tokens.sign({ context: 'consumer', id: 7 }, SID).token;
    expect(accepts(token, 'consumer', setUp({ ...keysNow, jwtPreviousKeys: previous('consumer') }).tokens)).toBe(true);
    expect(accepts(token, 'consumer', setUp({ ...keysNow, jwtPreviousKeys: previous('admin') }).tokens)).toBe(false);
  });

  it('are refused at the start when they are too short or of another kind', () => {
    expect(() => setUp({ jwtSecret: 'x'.repeat(31) })).toThrow(ConfigurationError);
    const { privateKey } = generateKeyPairSync('ed25519');
    const other = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(() => setUp({ jwtSecret: SECRET, jwtKeys: { consumer: other, admin: '' } })).toThrow(ConfigurationError);
  });
});

describe('a token that was found good once', () => {
  const proved = () => {
    const portal = setUp();
    const { token } = portal.tokens.sign({ context: 'consumer', id: 7 }, SID);
    expect(accepts(token, 'consumer', portal.tokens)).toBe(true);
    return { ...portal, token };
  };

  it('is refused as soon as it expires all the same', () => {
    const { clock: time, tokens: by, token } = proved();
    time.advance(904);
    expect(accepts(token, 'consumer', by)).toBe(true);
    time.advance(1);
    expect(accepts(token, 'consumer', by)).toBe(false);
    // And stays refused, also by a clock that goes back a little.
    expect(accepts(token, 'consumer', by)).toBe(false);
  });

  it('is refused while its time of issue lies ahead of a clock that was set back', () => {
    const { clock: time, tokens: by, token } = proved();
    time.advance(-6);
    expect(accepts(token, 'consumer', by)).toBe(false);
  });

  it('opens no other context, and vouches for no other bytes', () => {
    const { tokens: by, token } = proved();
    expect(accepts(token, 'admin', by)).toBe(false);
    expect(accepts(`${token}x`, 'consumer', by)).toBe(false);
    expect(accepts(token.slice(0, -1), 'consumer', by)).toBe(false);
  });
});
