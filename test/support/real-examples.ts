import { EXAMPLE_PATHS } from '../../src/openapi/examples.js';
import type { Answer, Envelope } from './http-client.js';

export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Longer lists say nothing more. */
const MOST_RECORDS = 2;
const BASE = 'https://portal.example.com';
/** Fields whose value is random, or belongs to the test: what the document shows instead. */
const REPLACED: Readonly<Record<string, string>> = {
  access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJwb3J0YWwifQ.c2lnbmF0dXJl',
  refresh_token: 'prt_1f8Zc0Yw3nR7sQ5tB2kV9xJ6mL4hG0dA8eP1oU3iT5r_0',
  code: '7K3QD-0M9ZX-TR4WA-B8N2C',
  token: '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  consumer_secret: 'portal_live_secret_6dRkf0sQmWc2nYv8TzLpA1uHeXbG4iJo1NYtLL',
  request_id: '4f1c0a52-7d7e-4f3a-9b2e-0d1e2f3a4b5c',
  next_cursor: 'WyIyMDI2LTA2LTAxVDEyOjAwOjAwLjAwMFoiLDJd',
  user_agent: 'PostmanRuntime/7.51.0',
  ip: '203.0.113.7',
};
const FULL_KEY = 'portal_live_W4rZ9yQk2sVb8nXc1dLmTg5hJf7aGALZ3nx3Qa';
const MASKED_KEY = 'port••••x3Qa';
const SESSION_ID = '0f8fad5bd9cb469fa16570867728950e';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/**
 * The envelopes of answers, the same every time: tokens, keys and random names are replaced, lists cut short, and paths
 * stand for those of any portal.
 * @param answers operation id → its answer
 * @param run the mark in the names of what the run created
 */
export function examplesOf(
  answers: ReadonlyMap<string, Answer>,
  { prefix, adminPrefix, run }: { readonly prefix: string; readonly adminPrefix: string; readonly run: string },
): Examples {
  const entries = [...answers]
    .filter(([, { json }]) => typeof json === 'object' && json.success)
    .map(([operation, { status, json }]) => {
      const text = JSON.stringify(shortened(json), (name, value: unknown) => replaced(name, value))
        .replaceAll(new RegExp(`[-_.]${run}\\b`, 'g'), '')
        .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, BASE)
        .replaceAll(`${prefix}/${adminPrefix}/`, `${EXAMPLE_PATHS.admin}/`)
        .replaceAll(`${prefix}/`, `${EXAMPLE_PATHS.api}/`);
      return [operation, { [status]: JSON.parse(text) as unknown }] as const;
    });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function replaced(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (Object.hasOwn(REPLACED, name)) return REPLACED[name];
  if (name === 'ending') return MASKED_KEY.slice(-4);
  if (name === 'consumer_key') return value.includes('•') ? MASKED_KEY : FULL_KEY;
  return value.replace(/^[0-9a-f]{32}$/, SESSION_ID).replace(/\b[0-9a-f]{64}\b/g, HASH);
}

function shortened(json: Envelope): unknown {
  const { data, meta, ...rest } = json;
  const short = cut(data);
  const isPage = Array.isArray(short) && meta !== null;
  const page = isPage ? { pagination: { ...meta.pagination, count: short.length } } : meta;
  return { ...rest, data: short, meta: page };
}

function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_RECORDS).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part)]));
}
