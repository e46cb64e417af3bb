import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../../database/index.js';

/** Only announced and retired ones are seen by readers and by proxies. */
export const DEPRECATION_STATES = ['draft', 'announced', 'retired'] as const;
export type DeprecationState = (typeof DEPRECATION_STATES)[number];

/** Whether keys are refused from the sunset on by itself, or once an admin says so. */
export const CLOSINGS = ['automatic', 'manual'] as const;
export type Closing = (typeof CLOSINGS)[number];

/** Methods that an operation may have. */
export const OPERATION_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
export type OperationMethod = (typeof OPERATION_METHODS)[number];

/** A planned time in which calls are refused, so that whoever still makes them notices. ISO 8601, the end is not part of it. */
export interface Brownout {
  readonly from: string;
  readonly to: string;
}

/** The end of a product, of one of its versions, or of one operation. */
export const deprecationRecord = defineRecord({
  name: 'Deprecation',
  table: 'portal_deprecations',
  alias: 'dp',
  noun: 'deprecation',
  fields: {
    id: fieldOf.id(),
    productId: fieldOf.reference(),
    /** Name of the version; null for the whole product. */
    version: fieldOf.text(100).nullable(),
    /** Of one operation; null for all of them. */
    method: fieldOf.text<OperationMethod>(16).nullable(),
    /** As the document writes it: `/payments/{id}`. */
    path: fieldOf.text(500).nullable(),
    /** What proxies see before it. */
    basePath: fieldOf.text(200).default(''),
    /** Paths of other operations that look like this one: `/payments/latest`. */
    exceptions: fieldOf.json<readonly string[]>().default([]),
    state: fieldOf.text<DeprecationState>(16),
    deprecatedAt: fieldOf.time(),
    sunsetAt: fieldOf.time().nullable(),
    closes: fieldOf.text<Closing>(16),
    replacementUrl: fieldOf.text(2048).nullable(),
    guideUrl: fieldOf.text(2048).nullable(),
    description: fieldOf.text(1000).default(''),
    brownouts: fieldOf.json<readonly Brownout[]>().default([]),
    announcedAt: fieldOf.time().nullable(),
    retiredAt: fieldOf.time().nullable(),
    /** When admins were told that its sunset came, and that it waits for them. */
    sunsetNoticedAt: fieldOf.time().nullable().hidden(),
    ...times,
  },
});

export type Deprecation = RowOf<typeof deprecationRecord>;

/** What admins may say of a deprecation at any time. */
export interface DeprecationTerms {
  readonly deprecatedAt?: Date;
  readonly sunsetAt?: Date | null;
  readonly closes?: Closing;
  readonly replacementUrl?: string | null;
  readonly guideUrl?: string | null;
  readonly description?: string;
  readonly basePath?: string;
  readonly brownouts?: readonly Brownout[];
}

/** The part of a product that ends; it stays as it is. */
export interface DeprecationScope {
  readonly version?: string | null;
  readonly method?: OperationMethod | null;
  readonly path?: string | null;
}

/** The deprecations of a product, as admins list them. */
export const deprecationList = defineList<Deprecation>(
  deprecationRecord.list({
    name: 'deprecations',
    sorts: ['deprecatedAt', 'sunsetAt', 'createdAt', 'updatedAt'],
    filters: ['id', 'state', 'version', 'method', 'path', 'closes', 'deprecatedAt', 'sunsetAt'],
  }),
);

/** How the part is called by people and in messages: `v2 GET /payments/{id}`; empty for the whole product. */
export function scopeText({ version, method, path }: Pick<Deprecation, 'version' | 'method' | 'path'>): string {
  return [version, method, path].filter((part) => part !== null).join(' ');
}

/** Whether it closed its part: keys are refused. */
export function isClosed({ state, closes, sunsetAt }: Pick<Deprecation, 'state' | 'closes' | 'sunsetAt'>, now: Date) {
  if (state === 'retired') return true;
  return state === 'announced' && closes === 'automatic' && sunsetAt !== null && sunsetAt <= now;
}
