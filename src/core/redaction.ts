import { toUSVString } from 'node:util';

/** Field → its value before and after; null if it was absent. */
export type ActivityChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** In place of a value that is secret by its name. */
export const MASK = '[masked]';
const LEFT_OUT = '[left out]';
/** Limit for one value, in characters of its JSON (S72). */
const LONGEST_VALUE = 1000;
/** Limit for all changes of an activity together. */
const LONGEST_CHANGES = 16_000;
const DEEPEST = 6;

/** Name parts that suggest a secret. Ids and counts of secrets are not secret. */
const SECRET_WORDS = new Set(
  'password passwords passphrase passwd secret secrets token tokens otp key keys hash salt cookie cookies authorization jwt'.split(
    ' ',
  ),
);

/** Whether values of this name are never recorded: `client_secret`, `apiKey`, `passwordHash`. */
export function isSecretName(name: string): boolean {
  return splitName(name).some((word) => SECRET_WORDS.has(word));
}

/** `gatewayKeyRef` and `gateway_key_ref` → gateway, key, ref. */
export function splitName(name: string): string[] {
  const parted = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ');
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

function snakeCase(name: string): string {
  return splitName(name).join('_');
}

/** One line without control characters, at most `max` characters; null when nothing is left. */
export function cleanText(text: string | null | undefined, max: number): string | null {
  if (text === null || text === undefined) return null;
  const line = oneLine(text);
  return line === '' ? null : toUSVString(line.slice(0, max));
}

/**
 * The recordable form of changes: secrets masked by name, texts on one line, 1 KB per value. Null when nothing changed.
 */
export function cleanChanges(changes: ActivityChanges, isSecret = false): ActivityChanges | null {
  const clean: Record<string, readonly [unknown, unknown]> = {};
  let length = 0;
  for (const [field, pair] of Object.entries(changes)) {
    if (!Array.isArray(pair)) continue;
    const masked = isSecretName(field) || (isSecret && splitName(field).includes('value'));
    const values = [cleanValue(pair[0], masked), cleanValue(pair[1], masked)] as const;
    length += JSON.stringify(values).length;
    clean[snakeCase(field).slice(0, 100)] = length > LONGEST_CHANGES ? [LEFT_OUT, LEFT_OUT] : values;
  }
  return Object.keys(clean).length === 0 ? null : clean;
}

function cleanValue(value: unknown, masked: boolean): unknown {
  if (value === null || value === undefined) return null;
  if (masked) return MASK;
  const clean = withoutSecrets(value, 0);
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean);
  return text.length <= LONGEST_VALUE ? clean : `${toUSVString(text.slice(0, LONGEST_VALUE - 1))}…`;
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return null;
  if (Buffer.isBuffer(value)) return `<${value.length} bytes>`;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => [
    oneLine(name).slice(0, 100),
    isSecretName(name) && item !== null && item !== undefined ? MASK : withoutSecrets(item, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

// Control characters of ASCII and Latin-1, and separators that some viewers treat as line ends.
function oneLine(text: string): string {
  return toUSVString(text)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
}
