import { BoundedCache, MalformedRequestError, ValidationError } from '../../../core/index.js';
import type { OutboundFetcher } from '../../../outbound/index.js';
import type { StoredSpec } from './stored-spec.js';
import { SpecRefusal } from './refusal.js';
import { isStoredSdl } from './sdl.js';
import { SpecWorkers } from './spec-workers.js';

/** Longest document that is converted to YAML. */
const YAML_LONGEST = 4 * 1024 * 1024;
/** Bytes of converted documents that are cached. */
const YAML_KEPT = 16 * 1024 * 1024;

/** Of an Arazzo document: whole ones are read where they are shown. */
export const MOST_WORKFLOW_BYTES = 500_000;

type Field = SpecRefusal['field'];

/** Documents that are read before they are asked for. */
const MOST_AHEAD = 8;

const ACCEPT = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5';

/** An upload, unparsed: the file itself, or JSON that contains or links to it. */
export interface SpecUpload {
  readonly kind: 'file' | 'json';
  readonly bytes: Buffer;
}

/** Validates documents before they are stored, and converts stored ones to YAML. */
export class SpecReader {
  private readonly yaml = new BoundedCache<Buffer>({ size: YAML_KEPT, sizeOf: ({ length }) => length });

  private readonly ahead = new Map<string, Promise<StoredSpec>>();

  constructor(
    readonly maxBytes: number,
    private readonly fetcher: Pick<OutboundFetcher, 'fetch'>,
    private readonly workers = new SpecWorkers(),
  ) {}

  /**
   * @param source the document as JSON or YAML text, or parsed
   * @throws ValidationError on `spec` with the reason (S64)
   */
  async read(source: string | object): Promise<StoredSpec> {
    return this.readString(typeof source === 'string' ? source : toText(source), 'spec');
  }

  /** Begins to read a document that one of the others will be given soon, so that the threads work while the caller writes. */
  readAhead(text: string): void {
    if (this.ahead.has(text)) return;
    const [oldest] = this.ahead.keys();
    // Of somebody who gave up before it was their turn.
    if (oldest !== undefined && this.ahead.size >= MOST_AHEAD) this.ahead.delete(oldest);
    const reading = this.readString(text, 'spec');
    // Whoever asks for it is told.
    reading.catch(() => undefined);
    this.ahead.set(text, reading);
  }

  /**
   * @throws MalformedRequestError for a body that is not JSON
   * @throws ValidationError on `spec`, or on `url` when the document behind it is unreachable or refused
   */
  async readUpload({ kind, bytes }: SpecUpload): Promise<StoredSpec> {
    if (kind === 'file') return this.readString(decodeUtf8(bytes, 'spec'), 'spec');
    const { maxBytes } = this;
    const { request } = await refuseUnreadable(this.workers.run({ kind: 'read-request', body: utf8(bytes), maxBytes }));
    if (request === null) throw new MalformedRequestError();
    if ('spec' in request) return request.spec;
    return this.readString(
      decodeUtf8(await this.fetcher.fetch(request.url, { maxBytes, accept: ACCEPT }), 'url'),
      'url',
    );
  }

  /** An Arazzo document. @throws ValidationError on `workflows` with the reason */
  async readWorkflows(bytes: Buffer): Promise<StoredSpec> {
    const text = decodeUtf8(bytes, 'workflows');
    if (text.trim() === '') throw refusalOf('The document is empty.', 'workflows');
    const task = { kind: 'read-workflows', text, maxBytes: MOST_WORKFLOW_BYTES } as const;
    return (await refuseUnreadable(this.workers.run(task), 'workflows')).spec;
  }

  private async readString(text: string, field: Field): Promise<StoredSpec> {
    const begun = this.ahead.get(text);
    if (begun) {
      this.ahead.delete(text);
      return begun;
    }
    const { maxBytes } = this;
    if (text.trim() === '') throw refusalOf('The document is empty.', field);
    if (Buffer.byteLength(text) > maxBytes) throw refusalOf(`The document is larger than ${maxBytes} bytes.`, field);
    return (await refuseUnreadable(this.workers.run({ kind: 'read', text, maxBytes }), field)).spec;
  }

  /**
   * A stored document as YAML. One too large to be converted in time is returned as it is, since JSON is YAML; so is a GraphQL
   * schema, which has one form only.
   * @param hash of the document
   */
  async toYaml(document: Buffer, hash: string): Promise<Buffer> {
    if (document.length > YAML_LONGEST || isStoredSdl(document)) return document;
    return this.yaml.read(hash, () => this.writeYaml(document));
  }

  private async writeYaml(document: Buffer): Promise<Buffer> {
    try {
      return Buffer.from((await this.workers.run({ kind: 'to-yaml', document: document.toString() })).text);
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
      return document;
    }
  }
}

function toText(source: object): string {
  try {
    return JSON.stringify(source);
  } catch {
    throw refusalOf('The document cannot be written as JSON: it nests too deep or refers to itself.');
  }
}

/** @param field reported instead of the one that the refusal names */
async function refuseUnreadable<T>(work: Promise<T>, field?: Field): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof SpecRefusal ? refusalOf(error.message, field ?? error.field) : error;
  }
}

function decodeUtf8(bytes: Buffer, field: Field): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusalOf('The document is not UTF-8 text.', field);
  }
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new MalformedRequestError({ cause });
  }
}

function refusalOf(reason: string, field: Field = 'spec'): ValidationError {
  return new ValidationError({ [field]: [reason] });
}
