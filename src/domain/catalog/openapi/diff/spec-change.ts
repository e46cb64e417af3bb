import { escapeStep, type ApiOperation } from './api-operations.js';
import { showValue, type SchemaDifference } from './diff-schemas.js';
import { isUnstable } from './diff-lifecycle.js';
import type { ChangeLevel } from './effects.js';
import { RULES } from './rules.js';

/** What a caller of the API can notice of the difference between two documents. */
export interface SpecChange {
  /** The rule, by the name that oasdiff gives it. */
  readonly id: string;
  readonly level: ChangeLevel;
  /** `GET /pets`; null for what concerns the whole document. */
  readonly operation: string | null;
  /** JSON pointer into the new document; into the old one for what is gone. */
  readonly pointer: string;
  readonly old: string | null;
  readonly new: string | null;
  /** Words below `specChange` of the messages: `about.…` says where, `what.…` says what, both with these values. */
  readonly message: {
    readonly about: string;
    readonly what: string;
    readonly values: Readonly<Record<string, string>>;
  };
}

/** Where in an operation a schema stands. */
export interface SchemaPlace {
  readonly scope: 'request-body' | 'request-parameter' | 'response-body' | 'response-header';
  readonly pointer: string;
  /** Of the parameter or the header. */
  readonly name: string;
  /** `path`, `query`, `header` or `cookie`, of a parameter. */
  readonly in: string;
  /** Of the response. */
  readonly status: string;
  /** Whether it is sent by the provider, and answered by others. */
  readonly isWebhook?: boolean;
}

/** The words for a place: `specChange.about.…`. @param isField whether of a field below it */
export function aboutOf({ scope, isWebhook = false }: SchemaPlace, isField: boolean): string {
  if (isWebhook) {
    if (scope === 'response-header') return 'webhook-header';
    const part = scope === 'request-body' ? 'webhook-answer' : 'webhook-body';
    return isField ? `${part}-property` : part;
  }
  if (!isField || scope === 'response-header') return scope;
  if (scope === 'request-body') return 'request-property';
  return scope === 'request-parameter' ? 'parameter-property' : 'response-property';
}

/** What is said of a change beside its rule. */
interface Said {
  readonly about: string;
  readonly what: string;
  readonly pointer: string;
  readonly name?: string;
  readonly status?: string;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly keyword?: string;
  readonly level?: ChangeLevel;
}

/** Longest list of changes; what comes after is counted. */
const MOST_CHANGES = 1000;

/** Collects changes, each once, the first of them in full. */
export class ChangeList {
  readonly changes: SpecChange[] = [];
  readonly counts: Record<ChangeLevel, number> = { breaking: 0, warning: 0, info: 0 };
  /** `GET /pets` of all that changed, in the order of the old document. */
  readonly touched = new Set<string>();
  private readonly seen = new Set<string>();
  /** How many of the list are not breaking. */
  private lesser = 0;

  /** A rule that is not in the table is none that a caller notices. */
  add(id: string, operation: Pick<ApiOperation, 'method' | 'path'> | null, said: Said): void {
    const level = said.level ?? RULES.get(id);
    if (level !== undefined && operation) this.touched.add(`${operation.method} ${operation.path}`);
    if (level === undefined || this.isOnlyCounted(level)) return;
    const where = operation && showValue(`${operation.method} ${operation.path}`);
    const [old, present] = [showValue(said.old), showValue(said.new)];
    const key = JSON.stringify([id, where, said.pointer, said.name, old, present]);
    if (this.seen.has(key)) return;
    this.counts[level] += 1;
    if (this.seen.size < MOST_CHANGES) this.seen.add(key);
    const values = {
      name: showValue(said.name) ?? '',
      status: showValue(said.status) ?? '',
      keyword: said.keyword ?? '',
      old: old ?? '',
      new: present ?? '',
    };
    const { about, what, pointer } = said;
    const change = {
      id,
      level,
      operation: where,
      pointer: showValue(pointer, 1000) ?? '',
      old,
      new: present,
      message: { about, what, values },
    };
    if (this.changes.length < MOST_CHANGES) this.changes.push(change);
    else this.changes[this.freeLeastPlace()] = change;
    if (level !== 'breaking') this.lesser += 1;
  }

  /** Whether the list takes no more of that level, which is then counted: breaking changes take the place of others. */
  private isOnlyCounted(level: ChangeLevel): boolean {
    if (this.changes.length < MOST_CHANGES || (level === 'breaking' && this.lesser > 0)) return false;
    this.counts[level] += 1;
    return true;
  }

  /** Where a breaking change goes in a list that is full. */
  private freeLeastPlace(): number {
    this.lesser -= 1;
    const place = this.changes.findLastIndex(({ level }) => level === 'info');
    return place >= 0 ? place : this.changes.findLastIndex(({ level }) => level === 'warning');
  }

  addSchema(operation: ApiOperation, place: SchemaPlace, difference: SchemaDifference): void {
    const isRequest = place.scope.startsWith('request');
    const { path, keyword } = difference;
    const isGuarded = isRequest ? difference.isReadOnly : difference.isWriteOnly;
    const what = (isUnstable(operation.raw) && WITHOUT_POLICY[difference.what]) || difference.what;
    const id = ruleOf(place, { ...difference, what }, isGuarded);
    const level = isGuarded && RULES.has(id) ? 'info' : RULES.get(id);
    if (level !== undefined) this.touched.add(`${operation.method} ${operation.path}`);
    if (level === undefined || this.isOnlyCounted(level)) return;
    const isField = path.length > 0;
    this.add(id, operation, {
      about: aboutOf(place, isField),
      what: messageOf(what, keyword),
      level,
      pointer: [place.pointer, ...path.map((step) => `/${escapeStep(step)}`)].join(''),
      name: isField
        ? place.scope === 'request-parameter'
          ? `${place.name}.${path.join('.')}`
          : path.join('.')
        : place.name,
      status: place.status,
      old: difference.old,
      new: difference.new,
      ...(keyword === undefined ? {} : { keyword }),
    });
  }
}

/** What a policy of days is to a field, where there is none. */
const WITHOUT_POLICY: Readonly<Partial<Record<string, string>>> = {
  'deprecated-sunset-missing': 'deprecated',
  'sunset-date-too-small': 'deprecated-with-sunset',
};

/** The name of the rule of a difference within a schema. */
function ruleOf({ scope, in: where }: SchemaPlace, difference: SchemaDifference, isGuarded: boolean): string {
  const { path } = difference;
  const what = nameShared(scope, difference);
  const isRequest = scope.startsWith('request');
  if (path.length === 0) {
    if (what === 'enum-value-removed' && scope === 'response-body') return 'response-mediatype-enum-value-removed';
    const own = `${scope}-${what}`;
    return RULES.has(own) || !scope.endsWith('body') ? own : `${isRequest ? 'request' : 'response'}-property-${what}`;
  }
  const side = isRequest ? 'request' : 'response';
  const propertyRule = /^(required|optional)-property-became-/.test(what) ? `${side}-${what}` : null;
  if (scope === 'response-header') return 'none';
  if (scope === 'request-parameter') {
    if (where === 'header') {
      if (what === 'became-enum' || what.startsWith('became-required')) {
        return `request-header-property-${what.replace('-with-default', '')}`;
      }
      if (what.startsWith('added-required')) return 'new-required-request-header-property';
    }
    return `request-parameter-property-${what}`;
  }
  if (propertyRule) return propertyRule;
  if (isRequest) {
    if (what === 'added-required') return 'new-required-request-property';
    if (what === 'added-required-with-default') return 'new-required-request-property-with-default';
    if (what === 'added-optional') return 'new-optional-request-property';
    if (what.startsWith('removed-')) return 'request-property-removed';
    const guarded = `request-read-only-property-${what}`;
    return isGuarded && RULES.has(guarded) ? guarded : `request-property-${what}`;
  }
  const kind = isGuarded ? 'write-only-property' : 'property';
  const [action, need] = what.replace('-with-default', '').split('-');
  if ((action === 'added' || action === 'removed') && (need === 'required' || need === 'optional')) {
    return `response-${need}-${kind}-${action}`;
  }
  const plain = what.replace('became-required-with-default', 'became-required');
  const guarded = `response-write-only-property-${plain}`;
  return isGuarded && RULES.has(guarded) ? guarded : `response-property-${plain}`;
}

/** What oasdiff has one name for: a narrower type of a request is a changed one, lists of types in headers are types. */
function nameShared(scope: SchemaPlace['scope'], difference: SchemaDifference): string {
  const { path } = difference;
  const what = scope === 'request-parameter' ? nameOfText(difference) : difference.what;
  const isRequest = scope.startsWith('request');
  if (what === 'pattern-generalized' && !isRequest) return 'pattern-changed';
  if (what === (isRequest ? 'multiple-of-specialized' : 'multiple-of-generalized')) return 'multiple-of-changed';
  if (what === 'type-specialized' && isRequest && (scope === 'request-body' || path.length === 0))
    return 'type-changed';
  if (scope !== 'response-header') return what;
  return { 'list-of-types-widened': 'type-generalized', 'list-of-types-narrowed': 'type-specialized' }[what] ?? what;
}

/** What is sent as text anyway may be any text: a parameter that takes text takes all that it took, not the other way round. */
function nameOfText({ what, path, old, new: present }: SchemaDifference): string {
  const isOfText = /^(?:type|list-of-types)-/.test(what) && !/array|object/.test(`${old} ${present}`);
  if (isOfText && path.length === 0 && present === 'string') return 'type-generalized';
  return isOfText && path.length > 0 && old === 'string' && what === 'type-changed' ? 'type-specialized' : what;
}

/** The words for it; keywords that change alike share them. */
function messageOf(what: string, keyword: string | undefined): string {
  if (keyword === undefined || /^(const|default|pattern)/.test(what)) {
    return what.replace(/^(required|optional)-property-/, '').replace('-with-default', '');
  }
  if (/-(set|added)$/.test(what)) return 'keyword-added';
  if (/-(unset|removed)$/.test(what)) return 'keyword-removed';
  return 'keyword-changed';
}

/** Says a message by its key, with values filled in. */
type Say = (key: string, values: Readonly<Record<string, string>>) => string;

/** A change as a sentence in the language of those messages: `Request field status: the value sold is no longer taken`. */
export function describeSpecChange({ message: { about, what, values } }: SpecChange, say: Say): string {
  const [where, which] = [say(`specChange.about.${about}`, values), say(`specChange.what.${what}`, values)];
  return say('specChange.sentence', { where, what: which.trim() });
}
