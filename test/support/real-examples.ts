import { EXAMPLE_PATHS } from '../../src/apidocs/index.js';
import type { Surface } from './surface.js';
import type { TestPortal } from './test-portal.js';

type Examples = Record<string, Record<string, unknown>>;

/** Longer lists say nothing more. */
const MOST_RECORDS = 2;
const BASE = 'https://portal.example.com';
/** Fields whose value is random: what the document shows instead. */
const RANDOM: Readonly<Record<string, string>> = {
  access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJwb3J0YWwifQ.c2lnbmF0dXJl',
  refresh_token: 'prt_1f8Zc0Yw3nR7sQ5tB2kV9xJ6mL4hG0dA8eP1oU3iT5r_0',
  consumer_secret: 'sk_6dRkf0sQmWc2nYv8TzLpA1uHeXbG4iJo',
  request_id: '4f1c0a52-7d7e-4f3a-9b2e-0d1e2f3a4b5c',
  next_cursor: 'WyIyMDI2LTA2LTAxVDEyOjAwOjAwLjAwMFoiLDJd',
};
const FULL_KEY = 'pk_W4rZ9yQk2sVb8nXc1dLmTg5hJf7aPx3Qa';
const MASKED_KEY = 'pk_W••••x3Qa';
const SESSION_ID = '0f8fad5bd9cb469fa16570867728950e';

/**
 * What every operation answers to a good request of somebody who may, made the same every time: tokens, keys and random
 * names are replaced, lists cut short, and addresses stand for those of any portal.
 */
export async function captureExamples(surface: Surface, { client, portal }: TestPortal): Promise<Examples> {
  const { prefix, adminPrefix } = portal.config.portalApi;
  const examples: Examples = {};
  for (const route of surface.routes) {
    if (route.document) continue;
    const caller = await surface.caller(route);
    const { status, json, text } = await surface.send(route, caller, { body: surface.body(route, caller) });
    if (status >= 300) throw new Error(`${route.operation} answered ${status}: ${text}`);
    const stable = JSON.stringify(shortened(json), (name, value: unknown) => replaced(name, value))
      .replaceAll(client.url, BASE)
      .replaceAll(`${prefix}/${adminPrefix}/`, `${EXAMPLE_PATHS.admin}/`)
      .replaceAll(`${prefix}/`, `${EXAMPLE_PATHS.api}/`);
    examples[route.operation] = { [status]: JSON.parse(stable) as unknown };
  }
  return examples;
}

function replaced(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (Object.hasOwn(RANDOM, name)) return RANDOM[name];
  if (name === 'consumer_key') return value.includes('•') ? MASKED_KEY : FULL_KEY;
  if (/^[0-9a-f]{32}$/.test(value)) return SESSION_ID;
  if (name === 'next') return value.replace(/cursor=[^&]+/, `cursor=${RANDOM.next_cursor}`);
  return value.replace(/\b[0-9a-f]{64}\b/g, '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08');
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_RECORDS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part)]));
}
