import type { Operations } from '../http/index.js';
import type { PortalServices } from '../domain/services.js';
import { DeclarationError } from '../core/index.js';
import { valueAt, type AdminResource, type ApiRecord, type RecordParams } from './resource.js';

export type AdminOperations = Operations<PortalServices>;

/** Every resource of a console, by name. */
export class ResourceRegistry {
  private readonly byName: ReadonlyMap<string, AdminResource>;

  /** @throws DeclarationError for a name that is taken or an operation that no route declares */
  constructor(resources: readonly AdminResource[], operations: Pick<AdminOperations, 'has'>) {
    const byName = new Map<string, AdminResource>();
    for (const resource of resources) {
      if (byName.has(resource.name)) throw new DeclarationError(`the admin resource ${resource.name} exists twice.`);
      const unknown = operationsOf(resource).find((operation) => !operations.has(operation));
      if (unknown !== undefined)
        throw new DeclarationError(
          `the admin resource ${resource.name} names the operation ${unknown}, which no route declares.`,
        );
      byName.set(resource.name, resource);
    }
    this.byName = byName;
  }

  get all(): readonly AdminResource[] {
    return [...this.byName.values()];
  }

  /** @throws Error for a name that nobody declared */
  find(name: string): AdminResource {
    const resource = this.byName.get(name);
    if (!resource) throw new Error(`there is no admin resource ${name}`);
    return resource;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }
}

/** Every operation that pages of a resource run. */
export function operationsOf({ operations, actions = [], related = [], impact = [] }: AdminResource): string[] {
  const own = Object.values(operations).filter((operation) => operation !== undefined);
  const others = [...actions, ...related, ...impact].map(({ operation }) => operation);
  return [...new Set([...own, ...others])];
}

export function paramNames({ params = ['id'] }: AdminResource): readonly string[] {
  return params;
}

/** The path parameters that name a record. @param around those of the page that it stands on */
export function paramsOf(resource: AdminResource, record: ApiRecord, around: RecordParams = {}): RecordParams {
  const names = paramNames(resource);
  const own = resource.paramsOf?.(record) ?? Object.fromEntries(names.map((name) => [name, valueAt(record, name)]));
  const values = { ...around, ...(own as RecordParams) };
  return Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
}

/** Where the page of a record is, below the prefix. */
export function recordPath(resource: AdminResource, params: RecordParams): string {
  const values = paramNames(resource).map((name) => encodeURIComponent(String(params[name] ?? '')));
  return `/${[resource.name, ...values].join('/')}`;
}

/** The pattern of {@link recordPath}: `/users/:id`. */
export function recordPattern(resource: AdminResource): string {
  return `/${[resource.name, ...paramNames(resource).map((name) => `:${name}`)].join('/')}`;
}
