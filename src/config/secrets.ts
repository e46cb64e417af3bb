import type { AnyOption } from '../core/index.js';

const MASK = '********';

/** RFC 8725 §3.5 and S24: an HMAC key must be at least as long as the hash. */
export const SECRET_BYTES = 32;

/**
 * The bytes of `app.key` or one of `app.previousKeys`: `base64:…`, hexadecimal, or the text itself.
 * @throws RangeError for fewer than 32 bytes; the message never contains the key
 */
export function parseKey(key: string): Buffer {
  const bytes = keyBytes(key);
  if (bytes.length < SECRET_BYTES) {
    throw new RangeError(`must hold at least ${SECRET_BYTES} bytes; this one holds ${bytes.length}`);
  }
  return bytes;
}

function keyBytes(key: string): Buffer {
  if (key.startsWith('base64:')) {
    const encoded = key.slice('base64:'.length);
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) throw new RangeError('must be base64 after "base64:"');
    return Buffer.from(encoded, 'base64');
  }
  if (/^([0-9a-f]{2}){32,}$/i.test(key)) return Buffer.from(key, 'hex');
  return Buffer.from(key, 'utf8');
}

/** Placeholders from examples, tutorials and `.env` files; a secret that contains one is public. */
const PLACEHOLDER =
  /change.?(me|this|it)|replace.?(me|this|with)|place.?holder|your.{0,3}(256.?bit.?)?(secret|key|jwt|password|app)|example|default|insecure|super.?secret|top.?secret|my.?secret|secret.?key|(jwt|app|session|csrf).?secret|keyboard.?cat|password|123456789|abcdefgh|qwerty|lorem|dummy|test.?(secret|key)|dev.?(secret|key)/i;

/** Whether it is guessable: a placeholder, or fewer than ten different characters. */
export function isKnownSecret(secret: string): boolean {
  return PLACEHOLDER.test(secret) || new Set(secret).size < 10;
}

/** The value for display: secrets masked, including passwords in URLs. */
export function maskOption(option: AnyOption, value: unknown): unknown {
  if (option.secret === true) return isEmpty(value) ? value : MASK;
  return maskCredentials(value);
}

// Driver and module options have unknown names, so values below a map are masked by name and shape.
function maskCredentials(value: unknown, name = ''): unknown {
  if (/secret|password|token|key|credential/i.test(name) && !isEmpty(value)) return MASK;
  if (typeof value === 'string') return value.replace(/^([\w+.-]+:\/\/[^/:@]*):.*@/, `$1:${MASK}@`);
  if (Array.isArray(value)) return value.map((item) => maskCredentials(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskCredentials(item, key)]));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
