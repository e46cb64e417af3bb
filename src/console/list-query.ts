import type { FilterType, ListOptions } from '../core/index.js';
import type { PageRequest } from '../http/index.js';
import { listAllowedValues } from './schema-fields.js';
import type { Schema } from 'joi';
import type { AdminResource } from './resource.js';

/** A filter of a list as the page offers it. */
export interface FilterControl {
  readonly name: string;
  readonly type: FilterType;
  /** Names of its parameters in the address; a date has two. */
  readonly parameters: readonly { readonly name: string; readonly operator: 'eq' | 'gte' | 'lt' | 'like' }[];
  /** Values to choose from; empty for free text. */
  readonly values: readonly string[];
}

/** Parameters of a list page that are not filters. */
const OWN = ['q', 'sort', 'page', 'cursor', 'per_page', 'cols', 'view', 'locale', 'once'];

/** The filters that a list takes, with the values that the schema of its records allows. */
export function filterControls(
  { filters }: ListOptions,
  reply: Schema | undefined,
  { exactFilters = [] }: Pick<AdminResource, 'exactFilters'> = {},
): readonly FilterControl[] {
  return Object.entries(filters).map(([name, type]) => {
    const values = type === 'boolean' ? ['true', 'false'] : listAllowedValues(reply, name);
    const parameters: FilterControl['parameters'] = exactFilters.includes(name)
      ? [{ name, operator: 'eq' }]
      : parametersOf(name, type, values.length > 0);
    return { name, type, values, parameters };
  });
}

function parametersOf(name: string, type: FilterType, isChosen: boolean): FilterControl['parameters'] {
  if (type === 'date') {
    return [
      { name: `${name}.from`, operator: 'gte' },
      { name: `${name}.to`, operator: 'lt' },
    ];
  }
  return [{ name, operator: type === 'string' && !isChosen ? 'like' : 'eq' }];
}

/** The parameters of an address that say what a list shows: what a link to a colleague, a saved view or a bulk action carries. */
export function listParameters({ query }: Pick<PageRequest, 'query'>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, values] of query) {
    const value = values.at(-1) ?? '';
    if (value !== '' && name !== 'once' && name !== 'locale') parameters.set(name, value);
  }
  return parameters;
}

/** The query of the list operation for the parameters of a page. */
export function operationQuery(
  parameters: URLSearchParams,
  controls: readonly FilterControl[],
  resource: Pick<AdminResource, 'query'>,
): Record<string, unknown> {
  const read = (name: string) => parameters.get(name) ?? undefined;
  const sort = read('sort');
  const filters = filtersOf(parameters, controls);
  return {
    ...resource.query,
    ...{ q: read('q'), page: read('page'), cursor: read('cursor'), per_page: read('per_page') ?? '25' },
    ...(sort !== undefined && { order_by: sort.replace(/^-/, ''), direction: sort.startsWith('-') ? 'DESC' : 'ASC' }),
    ...(Object.keys(filters).length > 0 && { filters: JSON.stringify(filters) }),
  };
}

function filtersOf(parameters: URLSearchParams, controls: readonly FilterControl[]): Record<string, unknown> {
  const filters: Record<string, Record<string, unknown>> = {};
  const known = new Map(
    controls.flatMap((control) => control.parameters.map((one) => [one.name, { control, ...one }])),
  );
  for (const [name, value] of parameters) {
    const found = known.get(name);
    if (found)
      filters[found.control.name] = {
        ...filters[found.control.name],
        [found.operator]: readValue(found.control.type, value),
      };
    // An unknown name is refused by the list with the names that it takes.
    else if (!OWN.includes(name)) filters[name] = { eq: value };
  }
  return filters;
}

function readValue(type: FilterType, value: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}
