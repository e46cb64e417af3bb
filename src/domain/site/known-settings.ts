import { findClosest, originOf, ValidationError } from '../../core/index.js';
import type { SettingType } from './setting.js';

/** A setting that the portal itself reads. Its row exists from the first migration on, initially without a value. */
export interface KnownSetting {
  readonly key: string;
  readonly type: SettingType;
  /** Effective value while none is set; null: see the description. */
  readonly default: string | null;
  /** One sentence: what it does. */
  readonly description: string;
  /** Completes "value must be". */
  readonly wanted: string;
  accepts(value: unknown): boolean;
}

const LONGEST_NAME = 100;
const LONGEST_SENTENCE = 200;
const LONGEST_ADDRESS = 2_000;
const LONGEST_TEXT = 4_000;
export const DEFAULT_COLOUR = '#1d4ed8';

/** `#rrggbb`. */
export function isColour(value: unknown): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

function isLine(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value.length <= longest && /\S/.test(value) && !/\p{Cc}/u.test(value);
}

// A path of this portal, or a URL without characters that would end it in a header or a link.
function isPictureAddress(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || /[^\x21-\x7e]|["'\\;,<>]/.test(value))
    return false;
  if (value.startsWith('/')) return !value.startsWith('//');
  if (originOf(value) === null) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

function isText(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value.length <= longest && /\S/.test(value) && !/[^\P{Cc}\n\r\t]/u.test(value);
}

const KNOWN_SETTINGS: readonly KnownSetting[] = [
  {
    key: 'agents.introduction',
    type: 'string',
    default: null,
    description: 'What llms.txt and the MCP server tell agents first, as Markdown: what the APIs are for, whom to ask.',
    wanted: `a text of at most ${LONGEST_TEXT} characters`,
    accepts: (value) => isText(value, LONGEST_TEXT),
  },
  {
    key: 'theme.brand_color',
    type: 'string',
    default: DEFAULT_COLOUR,
    description:
      'Colour of buttons, links and marks; made darker or lighter until text in it can be read in light and dark alike.',
    wanted: `a colour of six hexadecimal digits such as ${DEFAULT_COLOUR}`,
    accepts: isColour,
  },
  {
    key: 'theme.logo_url',
    type: 'string',
    default: null,
    description: 'Address of the logo in the header; without it the header has none.',
    wanted: 'a path that begins with a slash, or an https address, without spaces, quotes, commas and semicolons',
    accepts: isPictureAddress,
  },
  {
    key: 'theme.name',
    type: 'string',
    default: null,
    description: 'Name of the portal in header, titles and texts; app.name without it.',
    wanted: `one line of at most ${LONGEST_NAME} characters`,
    accepts: (value) => isLine(value, LONGEST_NAME),
  },
  {
    key: 'theme.tagline',
    type: 'string',
    default: null,
    description: 'The large sentence of the first page; the words landing.headline without it.',
    wanted: `one line of at most ${LONGEST_SENTENCE} characters`,
    accepts: (value) => isLine(value, LONGEST_SENTENCE),
  },
];

export function findKnownSetting(key: string): KnownSetting | undefined {
  return KNOWN_SETTINGS.find((setting) => setting.key === key);
}

/**
 * Refuses a key that is neither a known setting nor a host's own: one under a reserved prefix (`theme.`), or so close
 * to a known one that it is probably a typo.
 * @throws ValidationError on `key`
 */
export function refuseStrangeKey(key: string): void {
  const keys = KNOWN_SETTINGS.map((setting) => setting.key);
  if (keys.includes(key)) return;
  const near = findClosest(key, keys);
  const isReserved = keys.some((known) => key.split('.', 1)[0] === known.split('.', 1)[0]);
  if (near === undefined && !isReserved) return;
  const hint = near === undefined ? `Those there are: ${keys.join(', ')}.` : `Did you mean ${near}?`;
  throw new ValidationError({ key: [`The portal knows no setting ${key}. ${hint}`] });
}

interface SettingFields {
  readonly key?: string;
  readonly type?: SettingType;
  readonly isPublic?: boolean | undefined;
  readonly value?: unknown;
}

/**
 * Checks the input for a known setting: value, type and visibility; an empty value counts as none.
 * @throws ValidationError on every invalid part
 */
export function checkKnownSetting<T extends SettingFields>(
  known: KnownSetting,
  input: T,
): T & Required<Pick<T, 'type' | 'isPublic'>> {
  const normalized = input.value === '' ? { ...input, value: null } : input;
  refuseOtherForm(known, normalized);
  return { ...normalized, type: known.type, isPublic: true };
}

function refuseOtherForm(known: KnownSetting, input: SettingFields): void {
  const { key = known.key, type = known.type, isPublic = true, value = null } = input;
  const isGood = value === null || known.accepts(value);
  const errors = {
    ...(key !== known.key && { key: ['The portal reads this setting by its key, which stays.'] }),
    ...(type !== known.type && { type: [`The portal reads this setting as ${known.type}.`] }),
    ...(!isPublic && { public: ['The portal shows this setting to everybody; it is always public.'] }),
    ...(!isGood && { value: [`value must be ${known.wanted}.`] }),
  };
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}
