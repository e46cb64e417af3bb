import { escapeStep, type ApiOperation, type ApiPath } from './api-operations.js';
import { diffContents, diffHeaders, type Tools } from './diff-operations.js';
import type { SchemaPlace } from './spec-change.js';

type Webhooks = ReadonlyMap<string, ApiPath>;

/**
 * Webhooks are called by the provider: what it sends is read by others, as answers are, and what they answer is taken by it,
 * as requests are. So the rules of answers hold for what is sent, and those of requests for what is answered.
 */
export function diffWebhooks(old: Webhooks, present: Webhooks, tools: Tools): void {
  tellExistence(old, present, tools);
  for (const [key, { operations }] of old) {
    for (const [method, read] of operations) {
      const after = present.get(key)?.operations.get(method);
      if (after) diffWebhook(read(), after(), tools);
    }
  }
}

function tellExistence(old: Webhooks, present: Webhooks, { list }: Tools): void {
  for (const [one, two, id, what] of [
    [old, present, 'webhook-removed', 'removed'],
    [present, old, 'webhook-added', 'added'],
  ] as const) {
    for (const [key, { path, operations }] of one) {
      const other = two.get(key);
      const pointer = `/webhooks/${escapeStep(path)}`;
      if (!other) list.add(id, null, { about: 'webhook', what, name: path, pointer });
      for (const method of operations.keys()) {
        if (!other || other.operations.has(method)) continue;
        const name = `${path} (${method.toUpperCase()})`;
        list.add(id, null, { about: 'webhook', what, name, pointer: `${pointer}/${method}` });
      }
    }
  }
}

function diffWebhook(old: ApiOperation, present: ApiOperation, tools: Tools): void {
  const { list } = tools;
  const pointer = `${present.pointer}/requestBody`;
  const sent = { scope: 'response-body', pointer, name: '', in: '', status: '', isWebhook: true } as const;
  diffContents(present, sent, old.body?.content ?? new Map(), present.body?.content ?? new Map(), tools, MEDIA_TYPE);
  if (old.body && present.body && old.body.isRequired !== present.body.isRequired) {
    const what = present.body.isRequired ? 'became-required' : 'became-optional';
    list.add(`webhook-body-${what}`, present, { about: 'webhook-body', what, pointer });
  }
  diffHeaders(present, { ...sent, pointer: present.pointer }, headersOf(old), headersOf(present), tools);
  for (const [status, before] of old.responses) {
    if (!/^(?:2|DEFAULT)/.test(status)) continue;
    const after = present.responses.get(status);
    const where = `${present.pointer}/responses/${escapeStep(status)}`;
    const answered: SchemaPlace = { ...sent, scope: 'request-body', pointer: where, status };
    if (after) diffContents(present, answered, before.content, after.content, tools, 'request-body-media-type');
    else {
      list.add('webhook-answer-removed', present, { about: 'webhook-answer', what: 'removed', status, pointer: where });
    }
  }
}

const MEDIA_TYPE = 'response-media-type';

/** What is sent beside the body. */
function headersOf({ parameters }: ApiOperation) {
  const headers = [...parameters.values()].filter((parameter) => parameter.in === 'header');
  return new Map(headers.map(({ name, isRequired, schema }) => [name.toLowerCase(), { isRequired, schema }]));
}
