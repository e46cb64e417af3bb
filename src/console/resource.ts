import { DeclarationError } from '../core/index.js';
import type { PortalServices } from '../domain/services.js';

/** A record as the admin API shows it. */
export type ApiRecord = Readonly<Record<string, unknown>>;
/** Values of the path parameters that name a record. */
export type RecordParams = Readonly<Record<string, string | number>>;

/** How a value is shown. */
export type CellKind =
  | 'text'
  | 'code'
  | 'badge'
  | 'date'
  | 'tags'
  | 'flag'
  | 'number'
  | 'picture'
  | 'long'
  /** Markdown, as readers see it. */
  | 'prose'
  /** The text of a guide, with its callouts and tabs. */
  | 'guide'
  | 'json'
  | 'count'
  /** An action of the activity log: its message, and its name in small print. */
  | 'event';

/** A value of a record: a column of the list, a line of the record's page. */
export interface RecordColumn {
  /** Path in the record, for example `developer.email`; also explained by the message `console.field.<field>`. */
  readonly field: string;
  /** Default `text`. */
  readonly as?: CellKind;
  /** Explained by this message instead: `console.field.<label>`. */
  readonly label?: string;
  /** In the list only when somebody asks for it. */
  readonly hidden?: true;
  /** The record of another resource that it leads to; null for none. */
  readonly leadsTo?: (record: ApiRecord) => { readonly resource: string; readonly params: RecordParams } | null;
}

/** The values that a field of a form offers, read from a list operation. */
export interface FieldChoices {
  readonly operation: string;
  /** Field of its records that is sent; also how the record itself names what is chosen. */
  readonly value: string;
  /** Field that people read. */
  readonly label: string;
}

export interface FieldOptions {
  readonly choices?: FieldChoices;
  /** Not in the form: the API takes it, but another page sets it. */
  readonly omit?: true;
  readonly kind?: FieldKind;
  /** Field by which the record names what it is linked to, when there are no choices; default `name`. */
  readonly names?: string;
}

/** The control of a form. */
export type FieldKind =
  | 'text'
  | 'email'
  | 'url'
  | 'password'
  | 'number'
  | 'date'
  | 'long'
  | 'select'
  | 'switch'
  | 'checks'
  | 'lines'
  | 'pairs'
  | 'json'
  | 'translations'
  | 'colour';

/** Parts of a record that something can be done to one by one, such as the products on a key. */
export interface RecordPart {
  /** Field of the record with the list of them. */
  readonly field: string;
  /** Path parameter that names one, and the field with its value. */
  readonly param: string;
  readonly key: string;
  /** Field with the name that people read. */
  readonly title: string;
  /** Further path parameters of the operation, from the part. */
  readonly params?: (part: ApiRecord) => RecordParams;
}

/** A list of which the total is told before something is done to a record. */
export interface Impact {
  readonly resource: string;
  /** List operation. */
  readonly operation: string;
  readonly filters?: (record: ApiRecord) => Readonly<Record<string, unknown>>;
}

/** Something that can be done to a record, beside changing and deleting it. */
export interface Action {
  /** Last part of its address; the message is `console.action.<name>`. */
  readonly name: string;
  /** The admin operation that it runs. Its body becomes the form, its upload a file to choose. */
  readonly operation: string;
  readonly tone?: 'good' | 'danger';
  /** It is done to a part of the record: `offered` asks the part. */
  readonly part?: RecordPart;
  /** Whether the record is in a state for it. */
  readonly offered?: (record: ApiRecord) => boolean;
  /** May be done to many records at once. */
  readonly bulk?: true;
  readonly form?: Readonly<Record<string, FieldOptions>>;
  /** What it reaches beside the record; where there is any, the name of the record is typed first. */
  readonly impact?: readonly Impact[];
  /** Whom it hits, told on its form before it is done. */
  readonly callers?: ActionCallers;
  /** What its form says before the action is done: the message `console.action.<notice>`, or null. */
  readonly notice?: (services: PortalServices) => Promise<string | null>;
  /** Shows the answer instead of the record: for what is told once, such as a key. */
  readonly shows?: readonly RecordColumn[];
  /** The page to show afterwards, from the answer; null for the record's own page. */
  readonly follows?: (answered: ApiRecord, record: RecordParams) => Followed | null;
}

/** An operation that counts the callers of a record, and the page that lists them. */
interface ActionCallers {
  readonly operation: string;
  readonly page: (record: RecordParams) => string;
  /** Whether it hits anybody at all. */
  readonly offered?: (record: ApiRecord) => boolean;
}

/** A page of another record: below its own, where `below` says so. */
interface Followed {
  readonly resource: string;
  readonly params: RecordParams;
  readonly below?: string;
}

/** Records that belong to a record, on its page. */
export interface Related {
  /** Whose columns and pages they have. */
  readonly resource: string;
  /** List operation. */
  readonly operation: string;
  /** Its query for a record, beside the path parameters: filters. */
  readonly filters?: (record: ApiRecord) => Readonly<Record<string, unknown>>;
  /** The message `console.related.<label>` of its heading; by default the name of the resource. */
  readonly label?: string;
  /** Offers to create one there. */
  readonly creates?: string;
}

/** The part of the navigation that a resource stands in. */
export type ResourceGroup = 'developers' | 'catalog' | 'site' | 'access' | 'system';

/**
 * A kind of record that the console lists, shows and changes, by operations of the admin API: permissions, validation
 * and versions are those of the routes.
 */
export interface AdminResource {
  /** First part of its addresses; the messages are `console.resource.<name>` and `console.one.<name>`. */
  readonly name: string;
  readonly group: ResourceGroup;
  /** Plural and singular for hosts that translate no messages. */
  readonly labels?: readonly [many: string, one: string];
  readonly operations: {
    readonly list?: string;
    readonly show?: string;
    readonly create?: string;
    readonly update?: string;
    readonly delete?: string;
    /** The list as a file; without it the console writes one from the list. */
    readonly download?: string;
  };
  /** Path parameters that name a record; default `id`. */
  readonly params?: readonly string[];
  /** Their values; by default the fields of the same name. Those of the page around it come first for related records. */
  readonly paramsOf?: (record: ApiRecord) => RecordParams;
  /** Field with the name of a record. */
  readonly title: string;
  readonly columns: readonly RecordColumn[];
  /** Lines of the record's page; by default the columns. */
  readonly facts?: readonly RecordColumn[];
  readonly form?: Readonly<Record<string, FieldOptions>>;
  readonly actions?: readonly Action[];
  /** The action that tells once what a new record tells too, such as a secret: `shows` of it is shown after creating one. */
  readonly createTells?: string;
  readonly related?: readonly Related[];
  /** Constant part of the query of the list: `{ with: 'audiences' }`. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** What stands above the list: the answer of an operation, shown by a partial, `console.chain`. */
  readonly banner?: { readonly operation: string; readonly partial: string };
  /** Filters that take a whole value only, no part of it. */
  readonly exactFilters?: readonly string[];
  /** Pages of its own that are offered above the list: `/<name>/<tool>`, with the message `console.tool.<tool>`. */
  readonly tools?: readonly { readonly name: string; readonly operation: string }[];
  /** What the audit log calls it, for the link to its activities. */
  readonly subject?: string;
  /** Filters of the usage page by which the calls of a record are shown. */
  readonly usageOf?: (record: ApiRecord) => Readonly<Record<string, string>>;
  /** Lists of which the total is told before a record is deleted. */
  readonly impact?: readonly Impact[];
  /** Takes CSV files; for the resources that the portal can import. */
  readonly importable?: true;
  /** Records that no form changes or deletes, such as those of files. */
  readonly locked?: (record: ApiRecord) => boolean;
  /** Template of the record's page instead of the common one, below `pages/`. */
  readonly template?: string;
  /** Style sheets of that page, beside those of the console. */
  readonly sheets?: readonly string[];
  /** Operations that pages of its own run; the template knows from `may` which of them the admin may call. */
  readonly further?: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]*$/;

/**
 * Declares a resource of the console.
 * @throws DeclarationError for a name that cannot be part of an address, or a resource without a list
 */
export function defineAdminResource(resource: AdminResource): AdminResource {
  const { name, actions = [] } = resource;
  const wrong = [name, ...actions.map((action) => action.name)].find((one) => !NAME.test(one));
  if (wrong !== undefined) {
    throw new DeclarationError(`the admin resource ${name}: "${wrong}" must be lower-case letters, digits and dashes.`);
  }
  if (resource.columns.length === 0) throw new DeclarationError(`the admin resource ${name} needs columns.`);
  return resource;
}

/** What is added to a resource that exists. */
export interface ResourceExtension extends Partial<Pick<AdminResource, 'columns' | 'facts' | 'actions' | 'related'>> {
  /** Its name. */
  readonly extends: string;
}

/** Adds columns, actions and related lists to a resource of the console. */
export function extendAdminResource(name: string, additions: Omit<ResourceExtension, 'extends'>): ResourceExtension {
  return { ...additions, extends: name };
}

/** The value of a field of a record, by its dotted path. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record;
  for (const step of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    value = (value as ApiRecord)[step];
  }
  return value;
}

/** The same as text; empty for what is missing or no plain value. */
export function textAt(record: unknown, path: string): string {
  return textOf(valueAt(record, path));
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
