import type { AdminActor } from '../domain/auth/index.js';
import type { BulkCaller } from '../domain/console/index.js';
import { NotFoundError, type ListPage } from '../core/index.js';
import type { OperationCall, OperationResult } from '../http/index.js';
import type { MessageValues } from '../templates/index.js';
import { labelKeys, type Visit } from '../theme/index.js';
import { paramNames, type AdminOperations, type ResourceRegistry } from './console-resource.js';
import type { AdminResource, ApiRecord, RecordParams } from './resource.js';
import type { WaitingCount } from './waiting-count.js';

export type AdminVisit = Visit<AdminActor>;

/** What pages of the console work with. */
export interface ConsoleContext {
  readonly operations: AdminOperations;
  readonly registry: ResourceRegistry;
  readonly waiting: WaitingCount;
  /** Says a message of the pages in a language. */
  readonly say: (key: string, locale: string, values?: MessageValues) => Promise<string>;
  /** Languages that records are translated into: all but the default one. */
  readonly translated: readonly string[];
}

/** The message for a name in the console, or the name itself if there is none. */
export async function labelOf({ say }: ConsoleContext, section: string, name: string, locale: string): Promise<string> {
  for (const key of labelKeys(section, name)) {
    const text = await say(key, locale);
    if (text !== key) return text;
  }
  return name;
}

/** A call of an operation on behalf of the signed-in admin. */
export function adminCall(visit: AdminVisit, further: Partial<OperationCall> = {}): OperationCall {
  return { actor: visit.actor, request: visit.request.info, locale: visit.locale, ...further };
}

/** The caller that starts a bulk job. */
export function callerOf({ actor, request, locale }: AdminVisit): BulkCaller {
  return { actor, request: request.info, locale };
}

/** The path parameters of the page's record. */
export function visitedParams(resource: AdminResource, { params }: AdminVisit): RecordParams {
  return Object.fromEntries(paramNames(resource).map((name) => [name, params[name] ?? '']));
}

/** Of these operations, those that the admin may call. */
export async function listAllowed(
  { operations }: ConsoleContext,
  { actor }: Pick<AdminVisit, 'actor'>,
  names: readonly (string | undefined)[],
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(names)].filter((name) => name !== undefined);
  const allowed = await Promise.all(wanted.map((name) => operations.may(name, actor)));
  return new Set(wanted.filter((_name, index) => allowed[index]));
}

/** The name of an operation that the resource has. @throws NotFoundError */
export function requireOperation(name: string | undefined): string {
  if (name === undefined) throw new NotFoundError();
  return name;
}

/** The records of a list, of one that has pages and of one that has none. */
export function pageOf({ page, data }: OperationResult): ListPage<ApiRecord> {
  if (page) return page as ListPage<ApiRecord>;
  const items = Array.isArray(data) ? (data as readonly ApiRecord[]) : [];
  return { items: [...items], total: items.length, perPage: Math.max(1, items.length), page: 1, nextCursor: null };
}

/** The first records of a list, as many as a page can show at once. */
export async function readAll(
  { operations }: ConsoleContext,
  visit: AdminVisit,
  operation: string,
  { most, query = {} }: { readonly most: number; readonly query?: Readonly<Record<string, unknown>> },
): Promise<readonly ApiRecord[]> {
  const records: ApiRecord[] = [];
  let cursor: string | null = null;
  do {
    const given = { ...query, per_page: '100', ...(cursor !== null && { cursor }) };
    const page = pageOf(await operations.run(operation, adminCall(visit, { query: given })));
    records.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && records.length < most);
  return records.slice(0, most);
}
