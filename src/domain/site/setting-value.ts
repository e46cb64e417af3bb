import { ValidationError } from '../../core/index.js';
import { SECRET_MASK, type SettingType } from './setting.js';

const LONGEST_TEXT = 10_000;
/** Encryption and base64 add half again, and the column holds 64 kB. */
const LONGEST_SECRET = 4_000;
const LONGEST_JSON_BYTES = 60_000;

/** Requirement for a value of each type, and its stored form; undefined if it is invalid. */
const WRITERS: Readonly<Record<SettingType, { readonly wanted: string; write(value: unknown): string | undefined }>> = {
  string: {
    wanted: `text of at most ${LONGEST_TEXT} characters`,
    write: (value) => (typeof value === 'string' && value.length <= LONGEST_TEXT ? value : undefined),
  },
  integer: {
    wanted: 'a whole number',
    write: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  },
  float: {
    wanted: 'a number',
    write: (value) => (typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined),
  },
  boolean: {
    wanted: 'true or false',
    write: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  },
  json: {
    wanted: `JSON of at most ${LONGEST_JSON_BYTES} bytes`,
    write: (value) => {
      const text = JSON.stringify(value);
      return Buffer.byteLength(text) <= LONGEST_JSON_BYTES ? text : undefined;
    },
  },
  secret: {
    wanted: `text of at most ${LONGEST_SECRET} characters that is not the mask`,
    write: (value) =>
      typeof value === 'string' && value.length <= LONGEST_SECRET && value !== SECRET_MASK ? value : undefined,
  },
};

/**
 * The stored form of a value, secrets not yet encrypted; null for none, which every type allows.
 * @throws ValidationError on `value`
 */
export function writeValue(value: unknown, type: SettingType): string | null {
  if (value === null || value === undefined || (type === 'secret' && value === '')) return null;
  const { wanted, write } = WRITERS[type];
  const text = write(value);
  if (text === undefined) throw new ValidationError({ value: [`value must be ${wanted}, as type is ${type}.`] });
  return text;
}

/** A stored value, for display. */
export function readValue(stored: string | null, type: SettingType): unknown {
  if (stored === null) return null;
  switch (type) {
    case 'integer':
    case 'float':
      return Number(stored);
    case 'boolean':
      return stored === 'true' || stored === '1';
    case 'json':
      return parseStored(stored);
    case 'string':
      return stored;
    case 'secret':
      return SECRET_MASK;
  }
}

// A row edited by hand must not break the public configuration for everybody.
function parseStored(stored: string): unknown {
  try {
    return JSON.parse(stored) as unknown;
  } catch {
    return null;
  }
}
