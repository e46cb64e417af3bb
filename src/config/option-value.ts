import Joi from 'joi';
import { findClosest, type AnyOption, type DurationUnit } from '../core/index.js';
import { maskOption } from './secrets.js';

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const UNIT_SECONDS: Record<DurationUnit, number> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };
const BYTES: Record<string, number> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const YES = new Set(['true', '1', 'yes', 'on']);
const NO = new Set(['false', '0', 'no', 'off']);

/** A valid value, or a description of what is wrong with it. */
export type Checked = { readonly value: unknown } | { readonly fault: string; readonly fix?: string };

/** Parses environment text for this option; unparsable text is passed on and fails the check. */
export function readText(option: AnyOption, raw: string): unknown {
  const word = raw.trim().toLowerCase();
  switch (option.kind) {
    case 'integer':
      if (option.falseIsZero === true && word === 'false') return 0;
      return /^-?\d+$/.test(word) ? Number(word) : raw;
    case 'flag':
      return YES.has(word) ? true : NO.has(word) ? false : raw;
    case 'list':
      return raw
        .split(',')
        .map((item) => unescapePem(item.trim()))
        .filter((item) => item !== '');
    case 'map':
      return parseJson(raw);
    default:
      return unescapePem(raw);
  }
}

// A PEM key on one line of a .env file has its line breaks as \n.
function unescapePem(value: string): string {
  return value.startsWith('-----BEGIN') ? value.replaceAll('\\n', '\n') : value;
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return raw;
  }
}

/** Validates a value and converts it to the program's unit (seconds, bytes). */
export function checkOption(option: AnyOption, raw: unknown): Checked {
  const { value, error } = schemaOf(option).validate(raw, { convert: false }) as {
    value: unknown;
    error?: Joi.ValidationError;
  };
  if (error === undefined) return { value };
  const index = error.details[0]?.path[0];
  const culprit = Array.isArray(raw) && typeof index === 'number' ? (raw as unknown[])[index] : raw;
  const shown = option.secret === true ? '' : `, not ${show(maskOption(option, culprit))}`;
  const near = findNearest(option, culprit);
  return {
    fault: `must be ${expectation(option)}${shown}`,
    ...(near !== undefined && { fix: `did you mean ${near}?` }),
  };
}

// Only for enumerated values, which are never secrets.
function findNearest({ kind, choices }: AnyOption, value: unknown): string | undefined {
  const candidates = kind === 'flag' ? ['true', 'false'] : choices;
  return candidates === undefined || typeof value !== 'string' ? undefined : findClosest(value, candidates);
}

function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 77)}…` : json;
}

function schemaOf(option: AnyOption): Joi.Schema {
  switch (option.kind) {
    case 'text':
      return textSchema(option);
    case 'path':
      return Joi.any().custom((value: unknown) => parseServedPath(option, value));
    case 'choice':
      return Joi.valid(...(option.choices ?? []));
    case 'integer':
      return Joi.any().custom((value: unknown) =>
        requireInRange(option, value === false && option.falseIsZero ? 0 : value),
      );
    case 'duration':
      return Joi.any().custom((value: unknown) =>
        requireInRange(option, measure(value, SECONDS, UNIT_SECONDS[option.unit ?? 'seconds'])),
      );
    case 'bytes':
      return Joi.any().custom((value: unknown) => requireInRange(option, measure(value, BYTES, 1)));
    case 'flag':
      return Joi.boolean();
    case 'list':
      return Joi.array().items(option.choices ? Joi.valid(...option.choices) : textSchema(option, false));
    case 'map':
      return Joi.object().unknown();
  }
}

// Empty text means "not set", which is valid only for an option without a default.
function textSchema({ pattern, default: fallback }: AnyOption, canBeUnset = !fallback): Joi.Schema {
  const schema = pattern ? Joi.string().pattern(pattern.regex) : Joi.string();
  return canBeUnset ? schema.allow('') : schema;
}

const SEGMENT = /^[A-Za-z0-9._~-]+$/;

/** Normalizes a path to the form of the option's default. Clients resolve `.` and `..` before sending a request. */
function parseServedPath(option: AnyOption, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError();
  const segments = value.trim().split('/');
  while (segments[0] === '') segments.shift();
  while (segments.at(-1) === '') segments.pop();
  const isGood = (segment: string) => SEGMENT.test(segment) && segment !== '.' && segment !== '..';
  if (segments.length === 0 || !segments.every(isGood)) throw new RangeError();
  return `${isRooted(option) ? '/' : ''}${segments.join('/')}`;
}

function isRooted({ default: fallback }: AnyOption): boolean {
  return String(fallback).startsWith('/');
}

function requireInRange({ min = 0, max = Number.MAX_SAFE_INTEGER }: AnyOption, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) throw new RangeError();
  return value;
}

function measure(value: unknown, units: Record<string, number>, bare: number): unknown {
  if (typeof value === 'number') return value * bare;
  const [, amount, unit = ''] = /^(\d+)\s*([a-z]*)$/i.exec(String(value).trim()) ?? [];
  const factor = unit === '' ? bare : units[unit.toLowerCase()];
  return typeof value === 'string' && amount !== undefined && factor !== undefined
    ? Number(amount) * factor
    : undefined;
}

/**
 * What a value must be: the end of "must be …".
 * @public for scripts/generate-docs.mjs
 */
export function expectation(option: AnyOption): string {
  switch (option.kind) {
    case 'text':
      return option.pattern?.hint ?? (option.default ? 'a text that is not empty' : 'a text');
    case 'path':
      return `path segments such as ${String(option.default)}, of letters, digits and ._~-, with or without slashes at the ends`;
    case 'choice':
      return `one of ${option.choices?.join(', ')}`;
    case 'integer':
      return `a whole number ${range(option, String)}`;
    case 'duration':
      return `a duration such as 90s, 15m, 12h or 30d (a bare number counts ${option.unit}) ${range(option, formatDuration)}`;
    case 'bytes':
      return `a size such as 100kb or 20mb (a bare number counts bytes) ${range(option, formatBytes)}`;
    case 'flag':
      return 'true or false';
    case 'list':
      return option.choices ? `a list of ${option.choices.join(', ')}` : `a list of ${option.pattern?.hint ?? 'texts'}`;
    case 'map':
      return 'an object (in the environment: JSON)';
  }
}

function range({ min = 0, max }: AnyOption, format: (value: number) => string): string {
  return max === undefined ? `from ${format(min)}` : `from ${format(min)} to ${format(max)}`;
}

/** A value in its written form. */
export function formatValue({ kind }: AnyOption, value: unknown): string {
  if (typeof value === 'number' && kind === 'duration') return formatDuration(value);
  if (typeof value === 'number' && kind === 'bytes') return formatBytes(value);
  if (Array.isArray(value)) return value.join(',');
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Seconds in the largest unit that divides them: 900 → `15m`. */
function formatDuration(seconds: number): string {
  return formatInLargestUnit(seconds, SECONDS) ?? '0s';
}

/** Bytes in the largest unit that divides them: 102400 → `100kb`. */
function formatBytes(size: number): string {
  return formatInLargestUnit(size, BYTES) ?? '0b';
}

function formatInLargestUnit(value: number, units: Record<string, number>): string | undefined {
  const fitting = Object.entries(units).findLast(([, factor]) => value > 0 && value % factor === 0);
  return fitting && `${value / fitting[1]}${fitting[0]}`;
}
