import type { IndexParts, SpecOutline } from './build-index.js';
import type { FragmentRow } from './fragments.js';

/** Limit of the referenced schemas sent along with an operation; the rest is loaded when it is expanded. */
const SCHEMAS_WITH_IT = 200_000;

/** An indexed document that serves its reference: fragments are byte slices, nothing is parsed. */
export class DocumentIndex {
  readonly outline: SpecOutline;
  /** JSON that the reference loads at once. */
  readonly index: Buffer;
  /** Approximate memory use in bytes. */
  readonly size: number;

  private readonly bytes: Buffer;
  private readonly numbers: ReadonlyMap<string, number>;

  constructor(
    /** SHA-256 of the document. */
    readonly hash: string,
    private readonly parts: IndexParts,
  ) {
    this.outline = parts.outline;
    this.index = bufferOf(parts.index);
    this.bytes = bufferOf(parts.bytes);
    this.numbers = new Map(parts.pointers.map((pointer, number) => [pointer, number]));
    this.size = this.index.length * 3 + this.bytes.length;
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

  private writeFragment(name: string, row: FragmentRow): Buffer {
    const parts = [Buffer.from(`{"${name}":`), this.slice(row), Buffer.from(',"schemas":[')];
    const needed = this.collectNeeds(row);
    for (const [place, number] of needed.entries()) {
      const head = `${place === 0 ? '' : ','}[${JSON.stringify(this.parts.pointers[number])},`;
      parts.push(Buffer.from(head), this.slice(this.parts.schemas[number]), Buffer.from(']'));
    }
    const rows = [row, ...needed.flatMap((number) => this.parts.schemas[number] ?? [])];
    const prose = rows.map(({ end, proseEnd }) => this.bytes.toString('utf8', end, proseEnd)).filter(Boolean);
    parts.push(Buffer.from(`],"prose":[${prose.join(',')}]}`));
    return Buffer.concat(parts);
  }

  private collectNeeds(row: FragmentRow): number[] {
    const found = new Set(row.needs);
    let size = 0;
    for (const number of found) {
      const schema = this.parts.schemas[number];
      size += schema ? schema.end - schema.start : 0;
      if (size > SCHEMAS_WITH_IT) {
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
