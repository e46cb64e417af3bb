import type { DocumentKind } from '../build-index.js';
import type { IndexedExample, IndexedMedia, IndexedParameter } from '../content.js';
import { isObject } from '../lookup.js';
import type { IndexedOperation } from '../operation.js';
import type { IndexedResponse } from '../responses.js';
import type { IndexedScheme, Requirement } from '../security.js';
import type { IndexedServer } from '../servers.js';
import {
  code,
  heading,
  line,
  listBlock,
  prose,
  valueBlock,
  type Block,
  type Inline,
  type Item,
  type Say,
} from './blocks.js';
import type { SchemaWriter } from './schema-blocks.js';
import { describePlace, describeStyle } from './style-text.js';

/** What the index of a document says to all of its operations. */
export interface DocumentFacts {
  readonly kind: DocumentKind;
  readonly format: string;
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly servers: readonly IndexedServer[];
  readonly security: readonly Requirement[];
  readonly schemes: readonly IndexedScheme[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly operations: readonly (readonly [string, string, string, number, string, number])[];
}

/** An operation in the list of its document. */
export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly anchor: string;
  readonly isDeprecated: boolean;
  readonly isWebhook: boolean;
}

export function listOperations({ operations, tags }: DocumentFacts): ListedOperation[] {
  return operations.map(([method, path, summary, tag, anchor, flags]) => ({
    ...{ method, path, summary, anchor, tag: tags[tag]?.name ?? '' },
    isDeprecated: (flags & 1) !== 0,
    isWebhook: (flags & 2) !== 0,
  }));
}

interface OperationParts {
  readonly entry: ListedOperation;
  readonly operation: IndexedOperation;
  readonly facts: DocumentFacts;
  /** A request in a shell; null where nothing can be called. */
  readonly sample: string | null;
  readonly marks: readonly WrittenMark[];
}

/** What the portal knows of an operation: when it came, changed, ends. */
export interface WrittenMark {
  readonly text: string;
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** Marks by the anchor of an operation, which a document chose: it may be `constructor`. */
export function marksOf<T extends WrittenMark>(
  marks: Readonly<Record<string, readonly T[]>>,
  anchor: string,
): readonly T[] {
  return (Object.hasOwn(marks, anchor) ? marks[anchor] : undefined) ?? [];
}

/** An operation with everything that is known of it. */
export function operationBlocks(parts: OperationParts, schemas: SchemaWriter, say: Say): Block[] {
  const { entry, operation, facts, sample, marks } = parts;
  const address: Inline[] = [{ strong: methodName(entry, say) }, ' ', code(entry.path)];
  if (entry.isDeprecated) address.push(` · ${say('deprecated')}`);
  const { externalDocs } = operation;
  return [
    heading(2, operation.summary || operation.id || entry.path, `op-${entry.anchor}`),
    line(...address),
    ...marks.map(({ text, links }) =>
      line(text, ...links.flatMap(({ text: name, href }): Inline[] => [' · ', { text: name, to: href }])),
    ),
    ...(operation.id === '' ? [] : [line('operationId: ', code(operation.id))]),
    ...prose(operation.pathSummary),
    ...prose(operation.pathDescription),
    ...(operation.description === operation.summary ? [] : prose(operation.description)),
    ...(externalDocs ? prose(`${externalDocs.description}\n\n<${externalDocs.url}>`) : []),
    ...serverLines(operation.servers, say),
    ...accessLines(operation.security ?? facts.security, say),
    ...parameterBlocks(operation.parameters, schemas, say),
    ...bodyBlocks(operation.body, schemas, say),
    ...responseBlocks(operation.responses, facts, schemas, say),
    ...callbackBlocks(operation, facts, schemas, say),
    ...operation.codeSamples.flatMap(sampleBlocks),
    ...(sample === null ? [] : [heading(3, say('call-it')), { kind: 'code' as const, language: 'sh', text: sample }]),
  ];
}

export function methodName({ method, isWebhook }: ListedOperation, say: Say): string {
  return isWebhook ? `${say('webhook')} ${method.toUpperCase()}` : method.toUpperCase();
}

export function serverLines(servers: readonly IndexedServer[], say: Say): Block[] {
  return servers.map(({ url, description, variables }) => {
    const more = variables.flatMap(({ name, value, choices }): Inline[] => [
      ...[' · ', code(name), ' = ', code(value)],
      ...(choices.length > 0 ? [` (${choices.join(', ')})`] : []),
    ]);
    return line(`${say('server')}: `, code(url), description === '' ? '' : ` ${description}`, ...more);
  });
}

function accessLines(ways: readonly Requirement[], say: Say): Block[] {
  if (ways.length === 0) return [];
  const access = ways.map((way) =>
    way.length === 0
      ? say('no-sign-in')
      : way.map(({ name, scopes }) => (scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name)).join(' + '),
  );
  return [line(`${say('access')}: ${access.join(` ${say('or')} `)}`)];
}

function parameterBlocks(all: readonly IndexedParameter[], schemas: SchemaWriter, say: Say): Block[] {
  if (all.length === 0) return [];
  const items = all.map((parameter): Item => {
    const head: Inline[] = [
      code(parameter.name),
      ` · ${describePlace(parameter.in, say)} · `,
      ...schemas.typeOf(parameter.schema),
    ];
    if (parameter.required) head.push(' · ', { strong: say('required') });
    if (parameter.deprecated) head.push(` · ${say('deprecated')}`);
    return {
      head,
      inside: [
        ...prose(parameter.description),
        ...styleLines(parameter, say),
        ...schemas.describe(parameter.schema),
        ...parameter.examples.flatMap((example) => exampleBlocks(example, say)),
      ],
    };
  });
  return [heading(3, say('parameters')), ...listBlock(items)];
}

function styleLines(styled: Parameters<typeof describeStyle>[0], say: Say): Block[] {
  const said = describeStyle(styled, say);
  return said.length === 0 ? [] : [line(said.join(' '))];
}

function bodyBlocks(body: IndexedOperation['body'], schemas: SchemaWriter, say: Say): Block[] {
  if (!body) return [];
  const title = body.required ? `${say('request-body')} · ${say('required')}` : say('request-body');
  return [heading(3, title), ...prose(body.description), ...mediaBlocks(body.content, schemas, say)];
}

function responseBlocks(
  all: IndexedOperation['responses'],
  { kind }: DocumentFacts,
  schemas: SchemaWriter,
  say: Say,
): Block[] {
  if (all.length === 0) return [];
  const parts = all.flatMap(({ status, summary, description, headers, content, links }): Block[] => [
    { kind: 'heading', level: 4, parts: [code(status)] },
    ...(summary === '' ? [] : [line(summary)]),
    ...prose(description),
    ...(headers.length === 0 ? [] : [line(`${say('headers')}:`)]),
    ...listBlock(
      headers.map((header) => ({
        head: [code(header.name), ' · ', ...schemas.typeOf(header.schema)],
        inside: [...prose(header.description), ...schemas.describe(header.schema)],
      })),
    ),
    ...mediaBlocks(content, schemas, say),
    ...linkBlocks(links, say),
  ]);
  return [heading(3, say(kind === 'asyncapi' ? 'messages' : 'responses')), ...parts];
}

function mediaBlocks(content: readonly IndexedMedia[], schemas: SchemaWriter, say: Say): Block[] {
  return content.flatMap(({ type, schema, itemSchema, examples, encoding }): Block[] => [
    line(code(type), ...(schema ? [' · ', ...schemas.typeOf(schema)] : [])),
    ...schemas.describe(schema),
    ...encodingBlocks(encoding, schema, say),
    ...(itemSchema
      ? [line(`${say('each-item')}: `, ...schemas.typeOf(itemSchema)), ...schemas.describe(itemSchema)]
      : []),
    ...examples.flatMap((example) => exampleBlocks(example, say)),
  ]);
}

function encodingBlocks(encoding: IndexedMedia['encoding'], schema: unknown, say: Say): Block[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const items = Object.entries(encoding).flatMap(([name, said]): Item[] => {
    const styles = describeStyle({ ...said, name, schema: properties[name] ?? {} }, say);
    const type: Inline[] = said.contentType === '' ? [] : [' ', code(said.contentType)];
    const head = [code(name), ...type, ...styles.map((word) => ` ${word}`)];
    return head.length === 1 ? [] : [{ head, inside: [] }];
  });
  return items.length === 0 ? [] : [line(`${say('encoding')}:`), ...listBlock(items)];
}

function exampleBlocks({ name, summary, description, value, url }: IndexedExample, say: Say): Block[] {
  const title = summary || name;
  const head = line(say('example') + (title === '' ? '' : `: ${title}`));
  return [head, ...prose(description), ...(value === undefined ? prose(`<${url}>`) : [valueBlock(value)])];
}

function linkBlocks(links: IndexedResponse['links'], say: Say): Block[] {
  if (links.length === 0) return [];
  const items = links.map(({ name, description, operation, parameters, server }): Item => {
    const given = parameters.map((one) => ({
      head: [code(one.name || say('request-body')), ': ', code(JSON.stringify(one.value))],
      inside: [],
    }));
    return {
      head: [code(name), ' → ', code(operation), server === '' ? '' : ` · ${server}`],
      inside: [...prose(description), ...listBlock(given)],
    };
  });
  return [line(`${say('links')}:`), ...listBlock(items)];
}

function callbackBlocks(
  { callbacks }: IndexedOperation,
  facts: DocumentFacts,
  schemas: SchemaWriter,
  say: Say,
): Block[] {
  if (callbacks.length === 0) return [];
  const parts = callbacks.flatMap(({ name, address, method, summary, deprecated, operation }): Block[] => [
    {
      ...{ kind: 'heading', level: 4 },
      parts: [
        { strong: method.toUpperCase() },
        ' ',
        code(address),
        ` · ${[name, summary].filter(Boolean).join(' · ')}`,
      ],
    },
    ...(deprecated ? [line(say('deprecated'))] : []),
    ...prose(operation.description),
    ...accessLines(operation.security ?? facts.security, say),
    ...parameterBlocks(operation.parameters, schemas, say),
    ...bodyBlocks(operation.body, schemas, say),
    ...responseBlocks(operation.responses, facts, schemas, say),
  ]);
  return [heading(3, say(facts.kind === 'asyncapi' ? 'reply' : 'callbacks')), ...parts];
}

function sampleBlocks({ lang, label, source }: IndexedOperation['codeSamples'][number]): Block[] {
  const language = /^[\w+#-]{1,20}$/.test(lang) ? lang.toLowerCase() : '';
  return [line(label || lang), { kind: 'code', language, text: source }];
}
