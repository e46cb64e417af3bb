import { recordPath, type ResourceRegistry } from './console-resource.js';
import { textOf, valueAt, type ApiRecord, type RecordColumn } from './resource.js';

/** A value for a template to show. */
export interface Cell {
  readonly field: string;
  readonly as: string;
  readonly value: unknown;
  /** Below the prefix; null for no link. */
  readonly href: string | null;
}

export function cellsOf(columns: readonly RecordColumn[], record: ApiRecord, registry: ResourceRegistry): Cell[] {
  return columns.map((column) => cellOf(column, record, registry));
}

function cellOf(
  { field, label = field, as = 'text', leadsTo }: RecordColumn,
  record: ApiRecord,
  registry: ResourceRegistry,
): Cell {
  const target = leadsTo?.(record) ?? null;
  const href =
    target && registry.has(target.resource) ? recordPath(registry.find(target.resource), target.params) : null;
  return { field: label, as, href, value: showValue(as, valueAt(record, field)) };
}

function showValue(as: string, value: unknown): unknown {
  if (as === 'date') return dateOf(value);
  if (as === 'tags') return Array.isArray(value) ? value.map(nameOf) : [];
  if (as === 'json') return value === undefined || value === null ? null : JSON.stringify(value, null, 2);
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) return nameOf(value);
  return value;
}

// Records hold dates; what was read from JSON, such as the values of an activity, holds texts.
function dateOf(value: unknown): Date | null {
  if (value instanceof Date) return value;
  const date = typeof value === 'string' ? new Date(value) : null;
  return date && !Number.isNaN(date.getTime()) ? date : null;
}

function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  const { name, label, slug, id } = value as ApiRecord;
  return [name, label, slug, id].map(textOf).find((text) => text !== '') ?? JSON.stringify(value);
}
