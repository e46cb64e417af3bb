import type { Operations } from '../http/index.js';
import type { BulkAction } from '../domain/console/index.js';
import type { PortalServices } from '../domain/services.js';
import { DeclarationError } from '../core/index.js';
import { valueAt, type AdminResource, type ApiRecord, type RecordParams, type ResourceExtension } from './resource.js';

export type AdminOperations = Operations<PortalServices>;

/**
 * The shipped resources with what modules and the host add; one of the same name replaces it.
 * @throws DeclarationError for an extension of a resource that does not exist
 */
export function withAdditions(
  shipped: readonly AdminResource[],
  additions: readonly (AdminResource | ResourceExtension)[],
): readonly AdminResource[] {
  const byName = new Map(shipped.map((resource) => [resource.name, resource]));
  for (const addition of additions) {
    if (!('extends' in addition)) {
      byName.set(addition.name, addition);
      continue;
    }
    const base = byName.get(addition.extends);
    if (!base) throw new DeclarationError(`there is no admin resource ${addition.extends} to extend.`);
    byName.set(base.name, extend(base, addition));
  }
  return [...byName.values()];
}

function extend(
  base: AdminResource,
  { columns = [], facts = [], actions = [], related = [] }: ResourceExtension,
): AdminResource {
  return {
    ...base,
    columns: [...base.columns, ...columns],
    facts: [...(base.facts ?? base.columns), ...columns, ...facts],
    actions: [...(base.actions ?? []), ...actions],
    related: [...(base.related ?? []), ...related],
  };
}

/** Every resource of a console, by name. */
export class ResourceRegistry {
  private readonly byName: ReadonlyMap<string, AdminResource>;

  /** @throws DeclarationError for an operation that no route declares */
  constructor(resources: readonly AdminResource[], operations: Pick<AdminOperations, 'has'>) {
    const byName = new Map<string, AdminResource>();
    for (const resource of resources) {
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

  /** What a bulk job does, by the names that it keeps; null for what may not be done to many records. */
  findBulkAction(name: string, actionName: string): BulkAction | null {
    const resource = this.byName.get(name);
    const action = resource?.actions?.find(({ name: other, bulk }) => other === actionName && bulk === true);
    const list = resource?.operations.list;
    if (!resource || !action || list === undefined) return null;
    const { operation, offered } = action;
    const { query } = resource;
    const rowParams = (record: ApiRecord) => paramsOf(resource, record);
    return { list, operation, rowParams, ...(query && { query }), ...(offered && { offered }) };
  }
}

/** Every operation that pages of a resource run. */
export function operationsOf({
  operations,
  actions = [],
  related = [],
  impact = [],
  further = [],
  banner,
}: AdminResource): string[] {
  const own = Object.values(operations).filter((operation) => operation !== undefined);
  const reached = [...impact, ...actions.flatMap((action) => action.impact ?? [])];
  const others = [...actions, ...related, ...reached].map(({ operation }) => operation);
  return [...new Set([...own, ...others, ...further, ...(banner ? [banner.operation] : [])])];
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
