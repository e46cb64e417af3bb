import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { parseDocument, type ScalarTag } from 'yaml';
import { findClosest } from '../core/index.js';
import type { Doc, Kind, Manager } from './kind.js';
import { EnvValue, FileValue } from './values.js';

/** A record as files describe it. */
export interface Wanted {
  readonly kind: Kind;
  readonly key: string;
  readonly doc: Doc;
  /** Relative to the folder. */
  readonly file: string;
  /** Fields that an overlay set. */
  readonly overlaid: readonly string[];
}

/** Something about the files that is wrong, for people. */
export class FileProblem extends Error {
  constructor(file: string, what: string) {
    super(`${file}: ${what}`);
    this.name = 'FileProblem';
  }
}

interface Reading {
  readonly root: string;
  readonly kinds: readonly Kind[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `production`: `portal.production.yaml` is laid over the files. */
  readonly overlay?: string | undefined;
}

/** Fields that name a file beside the record. */
const PATHS: Readonly<Record<string, RegExp>> = {
  ...{ document: /^/, workflows: /^/ },
  thumbnail: /^(?!https:|\/)/,
  text: /./,
};

/** Reads a folder of records, in the order in which they have to be made. @throws FileProblem */
export async function readFolder(reading: Reading): Promise<readonly Wanted[]> {
  const overlay = await readOverlay(reading);
  const found: Wanted[] = [];
  for (const kind of reading.kinds) {
    const records = kind.folder ? await readRecords(reading, kind) : await readList(reading, kind);
    const seen = new Map<string, string>();
    for (const { key, doc, file } of records) {
      const other = seen.get(key);
      if (other !== undefined) throw new FileProblem(file, `${kind.name}/${key} stands in ${other} too.`);
      seen.set(key, file);
      const above = overlay[kind.name]?.[key] ?? {};
      const merged = mergeDocs(doc, above);
      refuseUnknown(kind, merged, file);
      found.push({ kind, key, file, doc: placeTexts(reading.root, file, merged), overlaid: Object.keys(above) });
    }
  }
  return found;
}

interface Found {
  readonly key: string;
  readonly doc: Doc;
  readonly file: string;
}

async function readList(reading: Reading, kind: Kind): Promise<Found[]> {
  const file = `${kind.name}.yaml`;
  const content = await readYaml(reading, file);
  if (content === null) return [];
  return Object.entries(content).map(([key, doc]) => ({ key, file, doc: requireMapping(file, key, doc) }));
}

async function readRecords(reading: Reading, kind: Kind): Promise<Found[]> {
  const folder = join(reading.root, kind.name);
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = names
    .filter((name) => /\.ya?ml$/.test(name) && !/\.(?:openapi|asyncapi|arazzo)\.ya?ml$/.test(name))
    .sort();
  const found: Found[] = [];
  for (const name of files) {
    const file = `${kind.name}/${name.split(sep).join('/')}`;
    const { [kind.key]: key, ...doc } = (await readYaml(reading, file)) ?? {};
    if (typeof key !== 'string') throw new FileProblem(file, `say ${kind.key}: at its top.`);
    found.push({ key, doc, file });
  }
  return found;
}

async function readOverlay(reading: Reading): Promise<Readonly<Record<string, Readonly<Record<string, Doc>>>>> {
  if (reading.overlay === undefined) return {};
  const file = `portal.${reading.overlay}.yaml`;
  const content = await readYaml(reading, file);
  if (content === null) throw new FileProblem(file, 'there is no such file.');
  const strange = Object.keys(content).find((name) => !reading.kinds.some((kind) => kind.name === name));
  if (strange !== undefined) throw new FileProblem(file, `${strange} is no kind of record.`);
  return content as Record<string, Record<string, Doc>>;
}

/** How the files call themselves, in `portal.yaml`; null when they do not. @throws FileProblem */
export async function readManager(reading: Reading): Promise<Manager | null> {
  const file = 'portal.yaml';
  const { managed_by: name, source = null, ...strange } = (await readYaml(reading, file)) ?? {};
  const [other] = Object.keys(strange);
  if (other !== undefined) throw new FileProblem(file, `there is no ${other}; it has managed_by and source.`);
  if (name === undefined) return null;
  if (typeof name !== 'string' || name.trim() === '') throw new FileProblem(file, 'managed_by must be a name.');
  if (source !== null && typeof source !== 'string') throw new FileProblem(file, 'source must be an address.');
  return { name, source };
}

/** What stands above wins: objects field by field, everything else as a whole; null takes a field away. */
function mergeDocs(below: Doc, above: Doc): Doc {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    if (value === null) delete merged[name];
    else merged[name] = isMapping(value) && isMapping(merged[name]) ? mergeDocs(merged[name], value) : value;
  }
  return merged;
}

async function readYaml({ root, env }: Reading, file: string): Promise<Doc | null> {
  const path = join(root, file);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const document = parseDocument(text, { customTags: tagsOf(env, file, path) });
  const [fault] = document.errors;
  if (fault) throw new FileProblem(file, fault.message);
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  if (content === null) return {};
  if (!isMapping(content)) throw new FileProblem(file, 'its top must be a mapping.');
  return content;
}

function tagsOf(env: Reading['env'], file: string, path: string): ScalarTag[] {
  const secret = (name: string) => {
    const value = env[name];
    if (value === undefined) throw new FileProblem(file, `!env ${name}: the environment has no ${name}.`);
    return new EnvValue(name, value);
  };
  return [
    { tag: '!env', resolve: secret },
    { tag: '!file', resolve: (name: string) => new FileValue(name, join(dirname(path), name)) },
  ];
}

function placeTexts(root: string, file: string, doc: Doc): Doc {
  const entries = Object.entries(doc).map(([field, value]) => {
    if (typeof value !== 'string' || !PATHS[field]?.test(value)) return [field, value] as const;
    const path = join(root, dirname(file), value);
    if (relative(root, path).startsWith('..'))
      throw new FileProblem(file, `${field}: ${value} lies outside of the folder.`);
    return [field, new FileValue(value, path)] as const;
  });
  return Object.fromEntries(entries);
}

function refuseUnknown(kind: Kind, doc: Doc, file: string): void {
  const strange = Object.keys(doc).find((field) => !kind.fields.includes(field) && field !== 'protected');
  if (strange === undefined) return;
  const near = findClosest(strange, kind.fields);
  throw new FileProblem(file, `${kind.name} have no ${strange}${near === undefined ? '' : `; did you mean ${near}?`}`);
}

function requireMapping(file: string, key: string, doc: unknown): Doc {
  if (doc === null) return {};
  if (!isMapping(doc)) throw new FileProblem(file, `${key} must be a mapping.`);
  return doc;
}

function isMapping(value: unknown): value is Doc {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof EnvValue) &&
    !(value instanceof FileValue)
  );
}

/** `products/payments`, `products`: whether a record is within. */
export function isWithin(scope: string | undefined, kind: string, key: string): boolean {
  if (scope === undefined) return true;
  const [wanted, ...rest] = scope.split('/');
  return wanted === kind && (rest.length === 0 || rest.join('/') === key);
}
