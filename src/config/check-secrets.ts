import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isKnownSecret, parseKey, SECRET_BYTES } from './secrets.js';
import type { CheckContext } from './check-context.js';

const NEW_KEY = 'set it to base64: followed by the output of `openssl rand -base64 32`';
const NEW_SECRET = 'set it to the output of `openssl rand -base64 48`';

/** S24: present, long enough, not publicly known, not used twice. */
export function checkSecrets(context: CheckContext): void {
  const { app, verify } = context.config;
  checkPresence(context);
  for (const [path, keys] of [
    ['app.key', app.key === '' ? [] : [app.key]],
    ['app.previousKeys', app.previousKeys],
  ] as const) {
    keys.forEach((key) => checkMasterKey(context, path, key));
  }
  checkJwtSecrets(context);
  checkStrength(context, 'verify.secret', verify.secret);
  checkDifference(context);
  checkSigningKeys(context);
}

function checkPresence({ config: { app, portalApi }, fault }: CheckContext): void {
  if (app.key === '')
    fault('app.key', 'is required', `${NEW_KEY}; a database that exists needs the one it was written with`);
  const { consumer, admin } = portalApi.jwtKeys;
  if (portalApi.jwtSecret === '' && (consumer === '' || admin === '')) {
    fault('portalApi.jwtSecret', 'is required', NEW_SECRET);
  }
}

function checkMasterKey({ fault, unsafe }: CheckContext, path: string, key: string): void {
  try {
    const bytes = parseKey(key);
    if (isKnownSecret(key) || isKnownSecret(bytes.toString('latin1'))) {
      unsafe(path, 'is a placeholder or easy to guess', NEW_KEY);
    }
  } catch (error) {
    fault(path, error instanceof Error ? error.message : 'cannot be read', NEW_KEY);
  }
}

// Secrets that are too short are refused everywhere, guessable ones in production.
function checkJwtSecrets(context: CheckContext): void {
  const { jwtSecret, jwtPreviousSecrets, jwtKeys } = context.config.portalApi;
  const isUsed = jwtKeys.consumer === '' || jwtKeys.admin === '';
  const secrets = [
    ...(isUsed && jwtSecret !== '' ? [['portalApi.jwtSecret', jwtSecret] as const] : []),
    ...jwtPreviousSecrets.map((secret) => ['portalApi.jwtPreviousSecrets', secret] as const),
  ];
  for (const [path, secret] of secrets) {
    const size = Buffer.byteLength(secret);
    const fix = path === 'portalApi.jwtSecret' ? NEW_SECRET : 'take it out of the list';
    if (size < SECRET_BYTES) context.fault(path, sayTooShort(size), fix);
    else if (isKnownSecret(secret)) context.unsafe(path, 'is a placeholder or easy to guess', fix);
  }
}

function sayTooShort(size: number): string {
  return `must hold at least ${SECRET_BYTES} bytes; this one holds ${size}`;
}

function checkStrength({ unsafe }: CheckContext, path: string, secret: string): void {
  if (secret === '') return;
  const size = Buffer.byteLength(secret);
  if (size < SECRET_BYTES) unsafe(path, sayTooShort(size), NEW_SECRET);
  else if (isKnownSecret(secret)) unsafe(path, 'is a placeholder or easy to guess', NEW_SECRET);
}

function checkDifference({ config: { app, portalApi, verify }, unsafe }: CheckContext): void {
  const seen = new Map<string, string>();
  const secrets: [string, string][] = [
    ['app.key', app.key],
    ['portalApi.jwtSecret', portalApi.jwtSecret],
    ['verify.secret', verify.secret],
    ...app.previousKeys.map((key): [string, string] => ['app.previousKeys', key]),
    ...portalApi.jwtPreviousSecrets.map((secret): [string, string] => ['portalApi.jwtPreviousSecrets', secret]),
  ];
  for (const [path, secret] of secrets) {
    if (secret === '') continue;
    const print = fingerprint(secret);
    const other = seen.get(print);
    if (other !== undefined) unsafe(path, `must differ from ${other}`, `give each its own value; ${NEW_SECRET}`);
    else seen.set(print, path);
  }
}

// The same 32 bytes in another encoding are the same secret.
function fingerprint(secret: string): string {
  return createHash('sha256').update(readBytes(secret)).digest('hex');
}

function readBytes(secret: string): Buffer {
  try {
    return parseKey(secret);
  } catch {
    return Buffer.from(secret);
  }
}

function checkSigningKeys(context: CheckContext): void {
  const { jwtKeys, jwtPreviousKeys } = context.config.portalApi;
  const fix = 'make one with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`';
  for (const name of ['consumer', 'admin'] as const) {
    const fault = jwtKeys[name] === '' ? undefined : signingKeyFault(() => createPrivateKey(jwtKeys[name]));
    if (fault !== undefined) context.fault(`portalApi.jwtKeys.${name}`, `must be a PEM private key: ${fault}`, fix);
    for (const key of jwtPreviousKeys[name]) {
      const broken = signingKeyFault(() => createPublicKey(key));
      if (broken !== undefined) {
        context.fault(`portalApi.jwtPreviousKeys.${name}`, `must hold PEM keys: ${broken}`, fix);
      }
    }
  }
  if (jwtKeys.consumer !== '' && jwtKeys.consumer.trim() === jwtKeys.admin.trim()) {
    context.fault('portalApi.jwtKeys.admin', 'must differ from portalApi.jwtKeys.consumer', fix);
  }
}

function signingKeyFault(read: () => KeyObject): string | undefined {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = read();
    if (type === 'rsa') return (details?.modulusLength ?? 0) >= 2048 ? undefined : 'RSA needs 2048 bit or more';
    return type === 'ec' && details?.namedCurve === 'prime256v1' ? undefined : 'only RSA and EC P-256 are supported';
  } catch {
    return 'it cannot be read';
  }
}
