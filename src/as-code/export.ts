import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, parseDocument } from 'yaml';
import { apiRoutes } from '../api/index.js';
import { JsonSchemaWriter } from '../openapi/index.js';
import { isWithin } from './files.js';
import type { Attachment, Doc, Kind, Present } from './kind.js';
import type { AdminPort } from './port.js';

type JsonSchema = Record<string, unknown>;

const NAME = { type: 'string' };
const ITEM = {
  type: 'object',
  additionalProperties: false,
  required: ['label'],
  properties: {
    ...{ label: NAME, url: NAME, route: NAME, translations: { type: 'object' } },
    visibility: { enum: ['everyone', 'guests', 'developers'] },
    children: { type: 'array', items: { $ref: '#/$defs/item' } },
  },
};
/** What files have and the bodies of the API have not, or have in another way. */
const OWN: Readonly<Record<string, JsonSchema>> = {
  document: { type: 'string', description: 'File with the API document, relative to this one.' },
  workflows: { type: 'string', description: 'File with the Arazzo document, relative to this one.' },
  thumbnail: { type: 'string', description: 'File with a picture, relative to this one, or an https address.' },
  text: { type: 'string', description: 'File with the Markdown, relative to this one.' },
  archived: { type: 'boolean', description: 'Nobody new gets it.' },
  items: { type: 'array', items: { $ref: '#/$defs/item' } },
  protected: { type: 'boolean', description: 'Never deleted, whatever the files say.' },
};

/** The JSON Schema of a file of a kind, made of what the API takes, so that editors complete and check it. */
function fileSchemaOf(kind: Kind): JsonSchema {
  const writer = new JsonSchemaWriter();
  const body = apiRoutes.find(({ operation }) => operation === kind.operation)?.body;
  if (body) writer.writeRequest(body);
  const [written] = Object.values(writer.schemas) as unknown as JsonSchema[];
  const known = (written?.properties ?? {}) as Record<string, JsonSchema>;
  const limits = kind.fields.includes('limits') ? { limits: limitsSchema() } : {};
  const properties = Object.fromEntries(
    [...kind.fields, 'protected'].map((field) => [
      field,
      OWN[field] ?? known[field] ?? (limits as JsonSchema)[field] ?? {},
    ]),
  );
  const record = { type: 'object', additionalProperties: false, properties };
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: kind.name };
  const defs = kind.fields.includes('items') ? { $defs: { item: ITEM } } : {};
  if (!kind.folder) return { ...dialect, type: 'object', additionalProperties: record, ...defs };
  const named = { [kind.key]: known[kind.key] ?? NAME, ...properties };
  return { ...dialect, ...record, required: [kind.key], properties: named, ...defs };
}

function limitsSchema(): JsonSchema {
  const writer = new JsonSchemaWriter();
  const body = apiRoutes.find(({ operation }) => operation === 'createPlanVersion')?.body;
  if (body) writer.writeRequest(body);
  return Object.values(writer.schemas)[0] ?? {};
}

export interface Exported {
  /** Kind → how many records. */
  readonly counts: Readonly<Record<string, number>>;
  /** Relative paths of files that were new or changed. */
  readonly written: readonly string[];
}

/**
 * Writes records as files: sorted, and with the same bytes whenever the portal says the same. A file that is there keeps its
 * comments; what it says is brought up to date.
 */
export async function exportTo(
  port: AdminPort,
  root: string,
  kinds: readonly Kind[],
  scope?: string,
): Promise<Exported> {
  const counts: Record<string, number> = {};
  const writer = new FolderWriter(root);
  const [only] = scope?.split('/') ?? [];
  for (const kind of kinds) {
    if (only !== undefined && kind.name !== only) continue;
    const listed = await kind.list(port);
    const found = listed.filter(({ key }) => isWithin(scope, kind.name, key)).sort((a, b) => (a.key < b.key ? -1 : 1));
    counts[kind.name] = found.length;
    if (found.length === 0) continue;
    await writer.json(`schema/${kind.name}.json`, fileSchemaOf(kind));
    if (kind.folder) for (const present of found) await writeRecord(writer, port, kind, present);
    else await writeList(writer, port, kind, found, scope !== undefined);
  }
  return { counts, written: writer.written };
}

async function writeRecord(writer: FolderWriter, port: AdminPort, kind: Kind, present: Present): Promise<void> {
  const beside = await writeBeside(writer, port, kind, present, kind.name);
  const doc = sortFields(kind, { ...present.doc, ...beside });
  const header = ` yaml-language-server: $schema=../schema/${kind.name}.json`;
  await writer.yaml(`${kind.name}/${present.key}.yaml`, { [kind.key]: present.key, ...doc }, header, 1);
}

async function writeList(
  writer: FolderWriter,
  port: AdminPort,
  kind: Kind,
  found: readonly Present[],
  isPart: boolean,
) {
  const content: Record<string, Doc> = {};
  for (const present of found) {
    const beside = await writeBeside(writer, port, kind, present, '.');
    content[present.key] = sortFields(kind, { ...present.doc, ...beside });
  }
  const header = ` yaml-language-server: $schema=./schema/${kind.name}.json`;
  await writer.yaml(`${kind.name}.yaml`, content, header, 2, isPart);
}

async function writeBeside(
  writer: FolderWriter,
  port: AdminPort,
  kind: Kind,
  present: Present,
  folder: string,
): Promise<Doc> {
  const files: readonly Attachment[] = (await kind.attachments?.(port, present)) ?? [];
  const entries: (readonly [string, string])[] = [];
  for (const { field, extension, bytes } of files) {
    const name = `${kind.folder ? '' : `${kind.name}/`}${present.key}${extension}`;
    await writer.bytes(join(folder, name), bytes);
    // As the record names it, which lies in the same folder.
    entries.push([field, kind.folder ? (name.split('/').at(-1) ?? name) : name]);
  }
  return Object.fromEntries(entries);
}

function sortFields(kind: Kind, doc: Doc): Doc {
  return Object.fromEntries(kind.fields.flatMap((field) => (doc[field] === undefined ? [] : [[field, doc[field]]])));
}

class FolderWriter {
  readonly written: string[] = [];

  constructor(private readonly root: string) {}

  async bytes(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.root, name);
    const present = await readFile(path).catch(() => null);
    if (present?.equals(bytes)) return;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    this.written.push(name);
  }

  json(name: string, value: unknown): Promise<void> {
    return this.bytes(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
  }

  /** @param depth to which values are set one by one where a file is there, so that comments beside them stay */
  async yaml(name: string, content: Doc, header: string, depth: number, isPart = false): Promise<void> {
    const present = await readFile(join(this.root, name), 'utf8').catch(() => null);
    const document = present === null ? null : parseDocument(present, { logLevel: 'silent' });
    if (document?.errors.length === 0 && isMap(document.contents)) {
      if (isDeepStrictEqual(document.toJS(), content)) return;
      merge(document, [], content, depth, isPart);
      return this.bytes(name, Buffer.from(text(document)));
    }
    const fresh = new Document(content);
    fresh.commentBefore = header;
    return this.bytes(name, Buffer.from(text(fresh)));
  }
}

const text = (document: Pick<Document, 'toString'>) => document.toString({ lineWidth: 0, indent: 2 });

function merge(document: Document, path: readonly string[], content: Doc, depth: number, isPart: boolean): void {
  const present = (path.length === 0 ? document.toJS() : document.getIn(path)) as unknown;
  const held = (isMap(present) ? present.toJSON() : present) as Doc;
  for (const name of Object.keys(held))
    if (!isPart && !(name in content) && name !== 'protected') document.deleteIn([...path, name]);
  for (const [name, value] of Object.entries(content)) {
    if (isDeepStrictEqual(held[name], value)) continue;
    const below = [...path, name];
    const isBelow = depth > 1 && typeof held[name] === 'object' && held[name] !== null;
    if (isBelow) merge(document, below, value as Doc, depth - 1, false);
    else document.setIn(below, document.createNode(value));
  }
}
