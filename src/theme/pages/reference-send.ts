import { viewerOf } from '../../domain/catalog/index.js';
import type { ConsumerActor } from '../../domain/auth/index.js';
import type { TriedCall } from '../../domain/apps/index.js';
import type { PageRequest } from '../../http/index.js';
import { NotFoundError } from '../../core/index.js';
import { field } from '../form.js';
import { definePage, Download, type Visit } from '../page.js';

/** Longest description of a request, without its body. */
const LONGEST_CALL = 60_000;

/** What a page answers to its script, whatever the API answered. */
const json = (value: object) =>
  new Download(JSON.stringify(value), { 'Content-Type': 'application/json; charset=utf-8' });

/** Sends what somebody filled in to an API that takes no requests from web pages. */
export const sendPages = [
  definePage({
    method: 'post',
    path: '/products/:slug/spec/send',
    audience: 'developers',
    file: { field: 'body', maxBytes: ({ apps }) => apps.calls.settings.maxBytes },
    handle: async ({ services, actor, locale, params, request }: Visit<ConsumerActor>) => {
      const { catalog, apps } = services;
      if (apps.calls.settings.origins.length === 0) throw new NotFoundError();
      const viewer = viewerOf(actor);
      const product = await catalog.products.find(params.slug ?? '', viewer, locale);
      const index = product.specHash === null ? null : await catalog.products.readIndex(product, viewer);
      const call = callOf(request);
      if (!call) return json({ failure: 'refused' });
      const answer = await apps.calls.send(actor.user, product, index, call);
      if (typeof answer === 'string') return json({ failure: answer });
      const { code, headers, body } = answer;
      return json({ code, headers, body: body.toString('base64') });
    },
  }),
];

function callOf(request: PageRequest): TriedCall | null {
  const text = field(request, 'call');
  if (text.length > LONGEST_CALL) return null;
  const { method, url, headers, credential } = objectOf(parse(text));
  const pairs = Array.isArray(headers) ? (headers as unknown[]) : [];
  if (typeof method !== 'string' || typeof url !== 'string' || !pairs.every(isPair)) return null;
  const { id, scheme } = objectOf(credential);
  const isNamed = typeof id === 'number' && typeof scheme === 'string';
  if (credential !== null && credential !== undefined && !isNamed) return null;
  return {
    ...{ method, url, headers: pairs },
    body: request.file ?? null,
    credential: isNamed ? { id: String(id), scheme } : null,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}
