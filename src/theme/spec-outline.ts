import { safeLink } from './safe-links.js';

/** The parts of an OpenAPI or Swagger document that an outline reads; each may be missing or of another type. */
export interface SpecDocument {
  readonly info?: { readonly title?: unknown; readonly version?: unknown; readonly description?: unknown };
  readonly servers?: unknown;
  readonly schemes?: unknown;
  readonly host?: unknown;
  readonly basePath?: unknown;
  readonly paths?: unknown;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly isDeprecated: boolean;
}

export interface SpecOutline {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly base: string | null;
  readonly count: number;
  readonly groups: readonly { readonly name: string; readonly operations: readonly Operation[] }[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** What an API offers, by tag, as far as a document says it. */
export function outlineOf(document: SpecDocument): SpecOutline {
  const groups = new Map<string, Operation[]>();
  let count = 0;
  for (const [path, item] of Object.entries(asRecord(document.paths))) {
    for (const method of METHODS) {
      const operation = asRecord(item)[method];
      if (typeof operation !== 'object' || operation === null) continue;
      const { tags, summary, operationId, deprecated } = operation as Record<string, unknown>;
      const [tag] = Array.isArray(tags) ? (tags as unknown[]) : [];
      const name = text(tag);
      const entry = { method, path, summary: text(summary) || text(operationId), isDeprecated: deprecated === true };
      groups.set(name, [...(groups.get(name) ?? []), entry]);
      count += 1;
    }
  }
  const { title, version, description } = asRecord(document.info);
  return {
    ...{ title: text(title), version: text(version), description: text(description), count },
    base: baseAddress(document),
    groups: [...groups].map(([name, operations]) => ({ name, operations })),
  };
}

/** Where the API is called: the first server of OpenAPI 3, or host and path of Swagger 2. */
export function baseAddress({ servers, schemes, host, basePath }: SpecDocument): string | null {
  if (Array.isArray(servers)) {
    const address = text(asRecord((servers as unknown[])[0]).url);
    return address.startsWith('http') && !address.includes('{') ? safeLink(address.replace(/\/$/, '')) : null;
  }
  if (typeof host !== 'string') return null;
  const scheme = Array.isArray(schemes) && !schemes.includes('https') ? 'http' : 'https';
  return safeLink(`${scheme}://${host}${text(basePath).replace(/\/$/, '')}`);
}

/** What a first call asks for: the first path that can be read and has no parameters, else the first that can be read. */
export function firstPath({ paths }: SpecDocument): string {
  const readable = Object.entries(asRecord(paths)).filter(([path, item]) => isPath(path) && 'get' in asRecord(item));
  const [path = '/'] = readable.find(([name]) => !name.includes('{')) ?? readable[0] ?? [];
  return path;
}

// Of letters that mean nothing to a shell.
function isPath(path: string): boolean {
  return /^\/[\w.~{}/-]*$/.test(path);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
