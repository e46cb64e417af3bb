import { randomBytes } from 'node:crypto';
import type { ObjectSchema } from 'joi';
import { describeSchema, ValidationError } from '../../core/index.js';
import type { ImportPlan } from './bulk-job.js';
import type { OperationPort, ShownRecord } from './operation-port.js';

/** What may be imported: the operation that makes one, and how one that exists is recognised. */
export interface ImportTarget {
  readonly operation: string;
  /** Operation that lists them, with a filter of the name of `key`. */
  readonly list: string;
  /** Field that is unique; for apps among those of their developer. */
  readonly key: string;
  /** Column with the e-mail address of the developer whose they are, who fills this parameter of the path. */
  readonly owner?: { readonly field: string; readonly param: string };
  /** Fields that no file fills. */
  readonly without: readonly string[];
  /** Values of fields that every record needs and no file has. */
  readonly given?: () => ShownRecord;
}

const TARGETS = new Map<string, ImportTarget>([
  [
    'users',
    {
      ...{ operation: 'createUser', list: 'listUsers', key: 'email' },
      // Passwords do not belong into files: who is imported asks for a link to choose one.
      ...{ without: ['password'], given: () => ({ password: randomBytes(32).toString('base64url') }) },
    },
  ],
  [
    'apps',
    {
      ...{ operation: 'createUserApp', list: 'listAllApps', key: 'name', without: [] },
      owner: { field: 'developer', param: 'user' },
    },
  ],
  ['products', { operation: 'createProduct', list: 'listProducts', key: 'slug', without: ['spec'] }],
]);

/** Resources that can be imported. */
export const IMPORTED_RESOURCES: readonly string[] = [...TARGETS.keys()];

export function findTarget(resource: string): ImportTarget | null {
  return TARGETS.get(resource) ?? null;
}

/** Operations that an importing admin needs; owners are looked up by address. */
export function importOperationsOf({ operation, owner }: ImportTarget): readonly string[] {
  return owner ? [operation, 'listUsers'] : [operation];
}

/** A field that a column can fill. */
export interface ImportField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: 'text' | 'number' | 'boolean' | 'list';
}

/** What is read of joi's description of a body. */
interface DescribedKey {
  readonly type?: string;
  readonly flags?: { readonly presence?: string };
}

const TYPES: Readonly<Record<string, ImportField['type']>> = { number: 'number', boolean: 'boolean', array: 'list' };

/** The fields of a target, from the body that its operation takes; those that are objects have no place in a table. */
export function importFieldsOf(target: ImportTarget, port: Pick<OperationPort, 'route'>): ImportField[] {
  const schema: ObjectSchema | undefined = port.route(target.operation).body;
  const { keys = {} } = schema ? describeSchema<{ keys?: Readonly<Record<string, DescribedKey>> }>(schema) : {};
  const fields = Object.entries(keys).filter(([name, { type }]) => type !== 'object' && !target.without.includes(name));
  const described = fields.map(([name, { type = 'any', flags }]) => ({
    ...{ name, isRequired: flags?.presence === 'required', type: TYPES[type] ?? 'text' },
  }));
  const owner = target.owner ? [{ name: target.owner.field, isRequired: true, type: 'text' } as const] : [];
  return [...owner, ...described];
}

const ALSO: Readonly<Record<string, readonly string[]>> = {
  email: ['mail', 'emailaddress', 'mailaddress'],
  first_name: ['first', 'givenname', 'forename'],
  last_name: ['last', 'surname', 'familyname'],
  locale: ['language', 'lang'],
  developer: ['owner', 'user', 'email', 'developeremail', 'useremail', 'owneremail', 'mail'],
  display_name: ['title', 'label'],
  callback_url: ['callback', 'redirecturl', 'redirecturi'],
  short_description: ['summary'],
  products: ['product', 'apis', 'api'],
};

/** Which column most likely fills which field, each at most one: by name first, then by what else a field is called. */
export function guessMapping(columns: readonly string[], fields: readonly ImportField[]): ImportPlan['mapping'] {
  const mapping: Record<string, string> = {};
  const free = new Set(columns);
  const assign = (names: (field: string) => readonly string[]) => {
    for (const { name } of fields) {
      if (mapping[name] !== undefined) continue;
      const column = [...free].find((candidate) => names(name).includes(normaliseName(candidate)));
      if (column === undefined) continue;
      mapping[name] = column;
      free.delete(column);
    }
  };
  assign((field) => [normaliseName(field)]);
  assign((field) => ALSO[field] ?? []);
  return mapping;
}

function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** @throws ValidationError for a field or column that does not exist, and for required fields without a column */
export function checkMapping(
  mapping: ImportPlan['mapping'],
  columns: readonly string[],
  fields: readonly ImportField[],
): void {
  const errors: Record<string, string[]> = {};
  for (const [field, column] of Object.entries(mapping)) {
    if (!fields.some(({ name }) => name === field)) errors[field] = [`There is no field ${field} to import.`];
    else if (!columns.includes(column)) errors[field] = [`The file has no column ${column}.`];
  }
  for (const { name, isRequired } of fields) {
    if (isRequired && mapping[name] === undefined) errors[name] = [`${name} needs a column.`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
}

/** What one line asks for. */
export interface ImportedRecord {
  readonly body: ShownRecord;
  /** Address of the developer, for targets with an owner. */
  readonly owner: string | null;
}

/** Makes the body of the operation out of the cells of a line; empty cells are left out. */
export function recordOf(
  target: ImportTarget,
  fields: readonly ImportField[],
  { columns, mapping }: ImportPlan,
  cells: readonly string[],
): ImportedRecord {
  const body: Record<string, unknown> = { ...target.given?.() };
  let owner: string | null = target.owner ? '' : null;
  for (const { name, type } of fields) {
    const cell = mapping[name] === undefined ? '' : (cells[columns.indexOf(mapping[name])] ?? '');
    if (name === target.owner?.field) owner = cell;
    else if (cell !== '') body[name] = valueOf(cell, type);
  }
  return { body, owner };
}

const YES = /^(?:true|yes|1)$/i;
const NO = /^(?:false|no|0)$/i;

/** What cannot be read stays text, about which the operation complains in its own words. */
function valueOf(cell: string, type: ImportField['type']): unknown {
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (type === 'boolean') return YES.test(cell) ? true : NO.test(cell) ? false : cell;
  if (type === 'list') {
    const words = cell.split(/[,;|]/).map((word) => word.trim());
    return words.filter((word) => word !== '');
  }
  return cell;
}
