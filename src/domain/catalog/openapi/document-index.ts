import type { IndexParts, OutlineOperation, SpecOutline } from './build-index.js';
import type { FragmentRow } from './fragments.js';
import { schemaName } from './written/schema-blocks.js';
import { DocumentSearch } from './written/document-search.js';

/** Limit of the referenced schemas sent along with an operation; the rest is loaded when it is expanded. */
const SCHEMAS_WITH_IT = 200_000;
/** The same for a page that is written from operations, which has nothing to expand. */
const SCHEMAS_WRITTEN = 2_000_000;

const NAMED_SCHEMA = /^#\/(?:components\/schemas|definitions)\/([^/]+)$/;

/** A document in words. */
export interface DescribedDocument {
  readonly operations: readonly (OutlineOperation & { readonly text: string })[];
  readonly schemas: readonly { readonly name: string; readonly text: string }[];
}

/** An indexed document that serves its reference: fragments are byte slices, nothing is parsed. */
export class DocumentIndex {
  readonly outline: SpecOutline;
  /** JSON that the reference loads at once. */
  readonly index: Buffer;
  readonly search: DocumentSearch;
  /** Approximate memory use in bytes. */
  readonly size: number;

  private readonly bytes: Buffer;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly anchors: ReadonlyMap<string, number>;
  private names: ReadonlyMap<string, number> | undefined;

  constructor(
    /** SHA-256 of the document. */
    readonly hash: string,
    private readonly parts: IndexParts,
  ) {
    this.outline = parts.outline;
    this.index = bufferOf(parts.index);
    this.bytes = bufferOf(parts.bytes);
    this.numbers = new Map(parts.pointers.map((pointer, number) => [pointer, number]));
    this.anchors = new Map(parts.outline.operations.map(({ anchor }, number) => [anchor, number]));
    this.search = new DocumentSearch(parts.search, parts.operations, parts.schemas);
    this.size = this.index.length * 3 + this.bytes.length + this.search.size;
  }

  /** `{operation, schemas, prose}` as JSON, with the referenced schemas, nearest first. Null for an unknown number. */
  operation(number: number): Buffer | null {
    const row = this.parts.operations[number];
    if (!row) return null;
    return this.writeFragment('operation', row);
  }

  /** `{schema, schemas, prose}` for a JSON pointer of a referenced schema. Null if nothing refers to it. */
  schema(pointer: string): Buffer | null {
    const number = this.numbers.get(pointer);
    const row = number === undefined ? undefined : this.parts.schemas[number];
    return row ? this.writeFragment('schema', row) : null;
  }

  /** What operations and named schemas say, for a search over many documents. @param most characters of each text */
  describe(most: number): DescribedDocument {
    const texts = this.search.textsByOwner(most);
    const { pointers, outline } = this.parts;
    return {
      operations: outline.operations.map((operation, number) => ({ ...operation, text: texts.get(number) ?? '' })),
      schemas: pointers.flatMap((pointer, number) => {
        const name = NAMED_SCHEMA.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
        return name === undefined ? [] : [{ name, text: texts.get(-1 - number) ?? '' }];
      }),
    };
  }

  /** The number of the operation at that address. */
  numberOf(anchor: string): number | undefined {
    return this.anchors.get(anchor);
  }

  /** The number of the schema that documents and people call so; of several, the first. */
  schemaNamed(name: string): number | undefined {
    this.names ??= new Map(
      this.parts.pointers.map((pointer, number) => [schemaName(pointer), number] as const).reverse(),
    );
    return this.names.get(name);
  }

  /** The same with a schema, and those that it refers to, in place of operations. */
  piecesOfSchema(number: number): Buffer {
    const schemas = this.schemaPairs(this.collectNeeds([number], SCHEMAS_WRITTEN));
    const [start, middle, end] = ['{"index":', ',"operations":[],"schemas":[', ']}'].map((part) => Buffer.from(part));
    return Buffer.concat([start, this.index, middle, ...schemas, end] as Buffer[]);
  }

  /** `WrittenPieces` as JSON: the index and these operations with the schemas that they refer to. */
  piecesOf(numbers: readonly number[]): Buffer {
    const rows = numbers.map((number) => this.parts.operations[number]);
    const operations = rows.flatMap((row, place) => [
      Buffer.from(`${place === 0 ? '' : ','}[${numbers[place]},`),
      this.slice(row),
      Buffer.from(']'),
    ]);
    const needs = rows.flatMap((row) => row?.needs ?? []);
    const schemas = this.schemaPairs(this.collectNeeds(needs, SCHEMAS_WRITTEN));
    const [start, middle, end] = ['{"index":', ',"operations":[', '],"schemas":['].map((part) => Buffer.from(part));
    return Buffer.concat([start, this.index, middle, ...operations, end, ...schemas, Buffer.from(']}')] as Buffer[]);
  }

  private schemaPairs(numbers: readonly number[]): Buffer[] {
    return numbers.flatMap((number, place) => [
      Buffer.from(`${place === 0 ? '' : ','}[${JSON.stringify(this.parts.pointers[number])},`),
      this.slice(this.parts.schemas[number]),
      Buffer.from(']'),
    ]);
  }

  private writeFragment(name: string, row: FragmentRow): Buffer {
    const needed = this.collectNeeds(row.needs, SCHEMAS_WITH_IT);
    const parts = [
      Buffer.from(`{"${name}":`),
      this.slice(row),
      Buffer.from(',"schemas":['),
      ...this.schemaPairs(needed),
    ];
    const rows = [row, ...needed.flatMap((number) => this.parts.schemas[number] ?? [])];
    const prose = rows.map(({ end, proseEnd }) => this.bytes.toString('utf8', end, proseEnd)).filter(Boolean);
    parts.push(Buffer.from(`],"prose":[${prose.join(',')}]}`));
    return Buffer.concat(parts);
  }

  private collectNeeds(needs: readonly number[], most: number): number[] {
    const found = new Set(needs);
    let size = 0;
    for (const number of found) {
      const schema = this.parts.schemas[number];
      size += schema ? schema.end - schema.start : 0;
      if (size > most) {
        const all = [...found];
        return all.slice(0, all.indexOf(number));
      }
      for (const next of schema?.needs ?? []) found.add(next);
    }
    return [...found];
  }

  private slice(row: FragmentRow | undefined): Buffer {
    return row && row.end > row.start ? this.bytes.subarray(row.start, row.end) : Buffer.from('null');
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
