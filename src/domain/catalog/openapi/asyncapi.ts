import type { IndexedExample, IndexedMedia, IndexedParameter } from './content.js';
import { arrayOf, isObject, LONGEST_TEXT, objectOf, readString, type JsonObject, type Lookup } from './lookup.js';
import type { IndexedCallback, IndexedOperation } from './operation.js';
import type { IndexedResponse } from './responses.js';
import { requirementsOf, type Requirement } from './security.js';
import { serversOf, type IndexedServer } from './servers.js';

const MOST_EXAMPLES = 20;
/** Schema languages that the viewer reads; others are shown as they are. */
const JSON_SCHEMA = /json|asyncapi|openapi|^$/i;

/** An operation of an AsyncAPI document, as the reference shows it. */
export interface FoundAction {
  /** `send` or `receive`; in AsyncAPI 2 `publish` or `subscribe`. */
  readonly method: string;
  /** Address of the channel. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly operation: IndexedOperation;
}

interface Action {
  readonly method: string;
  readonly id: string;
  readonly declared: JsonObject;
  readonly channel: JsonObject;
  readonly address: string;
  readonly messages: readonly (readonly [name: string, message: JsonObject])[];
  readonly callbacks: readonly IndexedCallback[];
}

/** Channels and operations of AsyncAPI 2 and 3 alike: messages are what an operation of OpenAPI calls answers. */
export function actionsOf(document: JsonObject, lookup: Lookup): FoundAction[] {
  const isOld = readString(document.asyncapi).startsWith('2.');
  const actions = isOld ? oldActions(document, lookup) : newActions(document, lookup);
  return actions.map((action) => presentAction(action, document, lookup));
}

function oldActions(document: JsonObject, lookup: Lookup): Action[] {
  return Object.entries(objectOf(document.channels)).flatMap(([address, value]) => {
    const channel = lookup.object(value);
    return ['publish', 'subscribe'].flatMap((method) => {
      const declared = channel[method];
      if (!isObject(declared)) return [];
      const message = lookup.object(declared.message);
      const options = Array.isArray(message.oneOf) ? arrayOf(message.oneOf) : [declared.message];
      const messages = options.map((option) => ['', lookup.object(option)] as const);
      return [{ method, id: readString(declared.operationId), declared, channel, address, messages, callbacks: [] }];
    });
  });
}

function newActions(document: JsonObject, lookup: Lookup): Action[] {
  return Object.entries(objectOf(document.operations)).map(([id, value]) => {
    const declared = lookup.object(value);
    const channel = lookup.object(declared.channel);
    const reply = isObject(declared.reply) ? lookup.object(declared.reply) : null;
    return {
      ...{
        method: readString(declared.action) || 'send',
        id,
        declared,
        channel,
        address: addressOf(declared.channel, lookup),
      },
      messages: messagesOf(declared.messages, channel, lookup),
      callbacks: reply === null ? [] : [replyOf(reply, document, lookup)],
    };
  });
}

function addressOf(reference: unknown, lookup: Lookup): string {
  const { address } = lookup.object(reference);
  const pointer = isObject(reference) ? readString(reference.$ref) : '';
  return readString(address) || decodeLastStep(pointer);
}

/** The messages that an operation names; without names, all of its channel. */
function messagesOf(named: unknown, channel: JsonObject, lookup: Lookup): [string, JsonObject][] {
  if (Array.isArray(named)) {
    return named.map((one: unknown) => [decodeLastStep(isObject(one) ? readString(one.$ref) : ''), lookup.object(one)]);
  }
  return Object.entries(objectOf(channel.messages)).map(([name, message]) => [name, lookup.object(message)]);
}

function replyOf(reply: JsonObject, document: JsonObject, lookup: Lookup): IndexedCallback {
  const channel = lookup.object(reply.channel);
  const { location, description } = lookup.object(reply.address);
  const address = readString(location) || addressOf(reply.channel, lookup);
  const messages = messagesOf(reply.messages, channel, lookup);
  const declared = { description };
  const action = { method: 'reply', id: '', declared, channel: {}, address, messages, callbacks: [] };
  const { operation } = presentAction(action, document, lookup);
  return { name: '', address, method: 'reply', summary: '', deprecated: false, operation };
}

function presentAction(action: Action, document: JsonObject, lookup: Lookup): FoundAction {
  const { method, id, declared, channel, address, messages, callbacks } = action;
  const tags = arrayOf(declared.tags ?? channel.tags).map((tag) => readString(lookup.object(tag).name));
  const documentation = lookup.object(declared.externalDocs);
  const summary = readString(declared.title) || readString(declared.summary);
  return {
    ...{ method, id, path: readString(address), tags: tags.filter((name) => name !== ''), summary },
    isDeprecated: declared.deprecated === true,
    operation: {
      id,
      summary,
      description: withBindings(textOf(declared), declared.bindings, lookup),
      pathSummary: readString(channel.title) || readString(channel.summary),
      pathDescription: withBindings(readString(channel.description, LONGEST_TEXT), channel.bindings, lookup),
      servers: [],
      security: declared.security === undefined ? null : requirements(declared.security),
      parameters: Object.entries(objectOf(channel.parameters)).map(([name, value]) => parameterOf(name, value, lookup)),
      body: null,
      responses: messages.map(([name, message], number) =>
        messageOf(name || String(number + 1), message, document, lookup),
      ),
      callbacks,
      codeSamples: [],
      externalDocs:
        typeof documentation.url === 'string'
          ? { url: documentation.url, description: readString(documentation.description) }
          : null,
    },
  };
}

function textOf({ title, summary, description }: JsonObject): string {
  const said = title === undefined ? '' : readString(summary);
  return [said, readString(description, LONGEST_TEXT)].filter((text) => text !== '').join('\n\n');
}

/** What holds for one protocol only, such as the key of Kafka: too many kinds for a view of its own. */
function withBindings(text: string, bindings: unknown, lookup: Lookup): string {
  const found = lookup.object(bindings);
  if (Object.keys(found).length === 0) return text;
  const json = JSON.stringify(found, null, 2).slice(0, LONGEST_TEXT / 2);
  return `${text}\n\n\`\`\`\`json\n${json.replaceAll('````', '')}\n\`\`\`\``.trim();
}

function parameterOf(name: string, value: unknown, lookup: Lookup): IndexedParameter {
  const { description, schema, enum: values, default: usual, examples, location } = lookup.object(value);
  const place = readString(location);
  return {
    ...{
      name: readString(name),
      in: 'channel',
      required: true,
      deprecated: false,
      allowEmptyValue: false,
    },
    ...{ style: 'simple', explode: false, allowReserved: false, mediaType: '' },
    description: [readString(description, LONGEST_TEXT), place && `\`${place.replaceAll('`', '')}\``]
      .filter(Boolean)
      .join('\n\n'),
    schema: schema ?? { type: 'string', enum: values, default: usual, examples },
    examples: [],
  };
}

function messageOf(name: string, message: JsonObject, document: JsonObject, lookup: Lookup): IndexedResponse {
  const traits = arrayOf(message.traits).map((trait) => lookup.object(trait));
  // What the message says itself counts.
  const whole: JsonObject = Object.assign({}, ...traits, message) as JsonObject;
  const headers = lookup.object(whole.headers);
  const required = arrayOf(headers.required);
  return {
    status: readString(whole.name) || readString(name),
    summary: readString(whole.title) || readString(whole.summary),
    description: withBindings(textOf(whole), whole.bindings, lookup),
    headers: Object.entries(objectOf(headers.properties)).map(([key, schema]) => ({
      ...parameterOf(key, { schema, description: lookup.object(schema).description }, lookup),
      ...{ in: 'header', required: required.includes(key) },
    })),
    content: [payloadOf(whole, document, lookup)],
    links: [],
  };
}

function payloadOf(message: JsonObject, document: JsonObject, lookup: Lookup): IndexedMedia {
  const type = readString(message.contentType) || readString(document.defaultContentType) || 'application/json';
  const payload = message.payload;
  const isMulti = isObject(payload) && payload.schemaFormat !== undefined && payload.schema !== undefined;
  const schema = isMulti ? payload.schema : payload;
  const format = readString(isMulti ? payload.schemaFormat : message.schemaFormat);
  const isReadable = JSON_SCHEMA.test(format);
  const examples = examplesOf(message, lookup);
  const raw = { name: format, summary: '', description: '', url: '', value: schema };
  const media = {
    type,
    schema: isReadable ? (schema ?? null) : null,
    examples: isReadable ? examples : [raw, ...examples],
  };
  return { ...media, encoding: {} };
}

function examplesOf({ examples }: JsonObject, lookup: Lookup): IndexedExample[] {
  return arrayOf(examples)
    .slice(0, MOST_EXAMPLES)
    .map((value) => lookup.object(value))
    .filter(({ payload }) => payload !== undefined)
    .map(({ name, summary, payload }) => {
      return { name: readString(name), summary: readString(summary), description: '', url: '', value: payload };
    });
}

/** Servers of AsyncAPI 2, which have an address, and of 3, which have a host. */
export function brokersOf(document: JsonObject, lookup: Lookup): IndexedServer[] {
  const servers = Object.entries(objectOf(document.servers)).map(([name, value]) => {
    const server = lookup.object(value);
    const { url, host, pathname, protocol, description } = server;
    const address = readString(url) || `${readString(host)}${readString(pathname)}`;
    const whole = address.includes('://') ? address : `${readString(protocol)}://${address}`;
    const variables = Object.entries(objectOf(server.variables)).map(([key, one]) => [key, lookup.object(one)]);
    return { url: whole, name, description, variables: Object.fromEntries(variables) as JsonObject };
  });
  return serversOf(servers);
}

/** What any of the servers asks for. */
export function brokerSecurity(document: JsonObject, lookup: Lookup): Requirement[] {
  const all = Object.values(objectOf(document.servers)).flatMap((server) =>
    requirements(lookup.object(server).security),
  );
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** AsyncAPI 3 refers to schemes, AsyncAPI 2 names them. */
function requirements(security: unknown): Requirement[] {
  const [references, named] = [
    arrayOf(security).filter(isReference),
    arrayOf(security).filter((one) => !isReference(one)),
  ];
  const pointed = references.map(({ $ref, scopes }): Requirement => {
    return [{ name: decodeLastStep(readString($ref)), scopes: arrayOf(scopes).map((scope) => readString(scope)) }];
  });
  return [...pointed, ...requirementsOf(named.filter((one) => typeof objectOf(one).type !== 'string'))];
}

function isReference(value: unknown): value is JsonObject {
  return isObject(value) && typeof value.$ref === 'string';
}

function decodeLastStep(pointer: string): string {
  return (pointer.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}
