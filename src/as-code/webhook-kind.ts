import { idOfAnswer, namesOf, presentOf, type Doc, type Kind } from './kind.js';
import { isSameField } from './simple-kinds.js';
import { resolveValue } from './values.js';

const FIELDS = ['url', 'events', 'audiences', 'fields', 'at_once', 'rate', 'ordered'];
/** Segments of an address that are words, and no secrets. */
const WORDS = /^[a-z]{1,20}(?:[-_.][a-z]{1,20}){0,5}$/;
const MOST_SEGMENT = 40;

/**
 * Endpoints of the operator, by their description. Their secrets are made by the portal and told once; whether one is
 * verified is not for files to say.
 */
export const webhookKind: Kind = {
  ...{ name: 'webhooks', key: 'description', fields: FIELDS, operation: 'createWebhook' },
  list: async (port) => {
    const shown = await port.call('listWebhooks');
    const counts = new Map<string, number>();
    return (shown as Doc[]).map((endpoint) => {
      const name = String(endpoint.description) || new URL(String(endpoint.url)).host;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const description = count === 1 ? name : `${name} (${count})`;
      return presentOf(webhookKind, { ...endpoint, description }, shape(endpoint));
    });
  },
  isSame: async (_port, field, wanted, present) => {
    if (field === 'url') return (await resolveValue(wanted)) === present.shown.url;
    if (field === 'ordered') return (wanted === true) === (present.doc.ordered === true);
    return isSameField(field, wanted, present);
  },
  create: async (port, key, doc) =>
    idOfAnswer(await port.call('createWebhook', { body: { description: key, ...doc } })),
  update: async (port, { id, etag }, changes) =>
    void (await port.call('updateWebhook', { params: { id }, body: changes, ifMatch: etag })),
  remove: async (port, { id, etag }) => void (await port.call('deleteWebhook', { params: { id }, ifMatch: etag })),
};

function shape({ url, events, audiences, fields, at_once, rate, ordered }: Doc): Doc {
  return {
    ...(isPlain(String(url)) && { url }),
    ...{
      events: sortNames(events),
      audiences: namesOf(audiences, 'name'),
      fields: sortNames(fields),
      at_once,
      rate,
      ordered: ordered === true || null,
    },
  };
}

const sortNames = (names: unknown) => [...((names ?? []) as string[])].sort();

/** Whether an address is made of words alone: many receivers know the sender by a secret in it. */
function isPlain(url: string): boolean {
  const { username, password, search, hash, pathname } = new URL(url);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  const segments = pathname.split('/').filter((part) => part !== '');
  return segments.every((part) => part.length <= MOST_SEGMENT && (WORDS.test(part) || /^v\d{1,2}$/.test(part)));
}
