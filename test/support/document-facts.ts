/** What a document says of an operation, gathered without any code of the reference: texts that its page must hold. */

type Json = Record<string, unknown>;

export interface Fact {
  readonly what: string;
  readonly text: string;
}

const NAMES = new Set(['properties', 'patternProperties', 'headers', 'links', 'content', 'responses', 'callbacks']);
const PLAIN = new Set(
  [
    'minimum',
    'maximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'pattern',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
  ].concat([
    'type',
    'format',
    'title',
    'summary',
    'name',
    'in',
    'default',
    'const',
    'contentMediaType',
    'contentEncoding',
    'operationId',
    'propertyName',
  ]),
);
const SKIPPED = new Set(['tags', 'operationId', 'security', 'servers', 'xml', 'encoding', 'style', 'explode', '$ref']);
/** What is true of a place, and the word that says so; each is counted as often as it is said. */
const FLAGS: Readonly<Record<string, string>> = {
  deprecated: 'deprecated',
  readOnly: 'read-only',
  writeOnly: 'write-only',
  nullable: 'null',
  required: 'required',
  allowEmptyValue: 'may be empty',
  uniqueItems: 'uniqueItems:',
  exclusiveMinimum: 'exclusiveMinimum:',
  exclusiveMaximum: 'exclusiveMaximum:',
};
/** Beside a `$ref`, all that counts before OpenAPI 3.1. */
const BESIDE = new Set(['summary', 'description', 'title', 'default', 'example', 'deprecated']);

/** The facts of an operation, each once, in words as a reader sees them. */
export function factsOf(document: Json, item: Json, operation: Json): Fact[] {
  const walk = new Walk(document);
  walk.object({ ...operation, parameters: [...list(item.parameters), ...list(operation.parameters)] }, 'operation');
  return [...new Map(walk.facts.map((fact) => [`${fact.what} ${fact.text}`, fact])).values()];
}

class Walk {
  readonly facts: Fact[] = [];
  private readonly seen = new Set<string>();

  constructor(private readonly document: Json) {}

  value(value: unknown, place: string): void {
    if (Array.isArray(value)) for (const one of value) this.value(one, place);
    else if (isObject(value)) this.object(value, place);
  }

  object(node: Json, place: string): void {
    const { $ref, ...beside } = node;
    if (typeof $ref === 'string') {
      const isNew = /^3\.[^0]/.test(String(this.document.openapi));
      const kept = Object.entries(beside).filter(([key]) => isNew || BESIDE.has(key));
      // What is said here takes the place of what is said there.
      if (kept.length > 0) this.object(Object.fromEntries(kept), place);
      const target = find(this.document, $ref);
      const said = Object.fromEntries(Object.entries(target).filter(([key]) => !kept.some(([known]) => known === key)));
      if (!this.seen.has($ref)) this.object(said, place);
      this.seen.add($ref);
      return;
    }
    for (const [key, value] of Object.entries(node)) {
      if (SKIPPED.has(key) || key.startsWith('x-')) continue;
      this.keyword(key, value, place);
    }
  }

  private keyword(key: string, value: unknown, place: string): void {
    if (Object.hasOwn(FLAGS, key) && value === true) {
      this.facts.push({ what: `${place} ${key} ${this.facts.length} flag`, text: FLAGS[key] ?? '' });
    } else if (key === 'description') this.words(value, place);
    else if (key === 'example' || (key === 'examples' && Array.isArray(value))) this.leaves(value, `${place} example`);
    else if (key === 'examples') for (const one of Object.values(value as Json)) this.example(one, place);
    else if (key === 'enum' || key === 'required') {
      for (const one of list(value)) this.leaves(one, `${place} ${key}`);
    } else if (key === 'discriminator' && isObject(value)) {
      this.add(`${place} discriminator`, value.propertyName);
      for (const name of Object.keys((value.mapping as Json | undefined) ?? {})) this.add(`${place} mapping`, name);
    } else if (PLAIN.has(key) && !isObject(value))
      for (const one of [value].flat()) this.leaves(one, `${place} ${key}`);
    else if (key === 'default' || key === 'const') this.leaves(value, `${place} ${key}`);
    else if (NAMES.has(key) && isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (name.startsWith('x-') && key !== 'properties') continue;
        this.add(`${place} ${key}`, name);
        this.value(inner, key);
      }
    } else if (key === 'parameters' && isObject(value)) this.leaves(value, `${place} link`);
    else this.value(value, key);
  }

  private example(declared: unknown, place: string): void {
    const example =
      isObject(declared) && typeof declared.$ref === 'string' ? find(this.document, declared.$ref) : declared;
    if (!isObject(example)) return;
    const { summary, description, value, ...other } = example;
    this.add(`${place} example`, summary);
    this.words(description, place);
    // Swagger 2.0 has the values themselves here.
    this.leaves(value ?? (this.document.swagger ? other : undefined), `${place} example`);
  }

  private leaves(value: unknown, what: string): void {
    if (Array.isArray(value)) for (const one of value) this.leaves(one, what);
    else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        this.add(what, key);
        this.leaves(inner, what);
      }
    } else this.add(what, value);
  }

  private words(text: unknown, place: string): void {
    if (typeof text !== 'string') return;
    const plain = text
      .replace(/```\w+/g, ' ')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, ' $1 ')
      .replace(/^\s*\[[^\]]+\]:.*$/gm, ' ')
      .replace(/<[^>]*>/g, ' ')
      .replace(/&\w+;/g, ' ');
    for (const word of plain.match(WORD) ?? []) this.facts.push({ what: `${place} word`, text: word });
  }

  private add(what: string, value: unknown): void {
    if (value === undefined || value === '') return;
    // Said in other words: `list of`, or the name of the schema.
    if (what.endsWith(' type') && (value === 'array' || value === 'object')) return;
    this.facts.push({ what, text: String(value) });
  }
}

const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Between the texts of a page one by one and the page as one text. */
export const BETWEEN = '\u0000';

/** The facts that a text does not hold. */
export function missingIn(page: string, facts: readonly Fact[]): Fact[] {
  const text = page.replace(/\s+/g, ' ');
  const words = new Set(page.match(WORD) ?? []);
  // The texts one by one: those of the whole would count twice.
  const [pieces = ''] = page.split(BETWEEN);
  const said = new Map<string, number>();
  return facts.filter(({ what, text: fact }) => {
    if (what.endsWith(' word')) return !words.has(fact);
    if (what.endsWith(' flag')) {
      const before = said.get(fact) ?? pieces.split(fact).length - 1;
      said.set(fact, before - 1);
      return before <= 0;
    }
    const forms = [fact, JSON.stringify(fact).slice(1, -1)].map((form) => form.replace(/\s+/g, ' ').trim());
    return !forms.some((form) => text.includes(form));
  });
}

function find(document: Json, pointer: string): Json {
  let place: unknown = document;
  for (const step of pointer.split('/').slice(1)) {
    place =
      isObject(place) || Array.isArray(place)
        ? (place as Json)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')]
        : undefined;
  }
  return isObject(place) ? (typeof place.$ref === 'string' ? find(document, place.$ref) : place) : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
