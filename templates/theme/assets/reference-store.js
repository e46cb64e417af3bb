import { keepProse } from './reference-markdown.js';

// What the server knows of a document: an index at once, everything else when somebody looks at it.

/** Browsers keep pieces for a year: whoever changes what they hold counts up, and the addresses are new ones. */
const FORM = 5;

/** An answer of the server that is no document. */
export class DocumentError extends Error {
  constructor(status) {
    super(`the server answered ${status}`);
    this.status = status;
  }
}

export class DocumentStore {
  /**
   * @param base address of the pieces, with a slash at its end
   * @param headers asked for every request, for documents that not everybody may read
   */
  constructor(base, headers = () => ({})) {
    this.base = base;
    this.headers = headers;
    /** Pointer → schema; `null` for what is too large to be sent. */
    this.schemas = new Map();
    /** Whether everything beside a `$ref` holds, as OpenAPI 3.1 says. */
    this.takesSiblings = false;
    this.pieces = new Map();
  }

  async index() {
    const index = await this.read('index');
    this.takesSiblings = !/Swagger|OpenAPI 3\.0/.test(index.format);
    const operations = index.operations.map(([method, path, summary, tag, anchor, flags, ...otherTags], number) => ({
      ...{ number, method, path, summary, tags: [tag, ...otherTags], anchor },
      isDeprecated: (flags & 1) !== 0,
      isWebhook: (flags & 2) !== 0,
    }));
    return { ...index, operations };
  }

  /** The operation of that number; null when it is too large. */
  async operation(number) {
    const { operation } = await this.piece(String(number));
    return operation;
  }

  /** A schema that others refer to; null when it is not there or too large. */
  async schema(pointer) {
    if (this.schemas.has(pointer)) return this.schemas.get(pointer);
    const { schema } = await this.piece(`schema?ref=${encodeURIComponent(pointer)}`).catch((error) => {
      if (error instanceof DocumentError && error.status === 404) return { schema: null };
      throw error;
    });
    this.schemas.set(pointer, schema);
    return schema;
  }

  /** Operations with every word somewhere in them: `{number, spots: [{name, text}]}`, best first. */
  async search(question) {
    const { hits } = await this.read(`search?q=${encodeURIComponent(question)}`);
    return hits;
  }

  piece(address) {
    let pending = this.pieces.get(address);
    if (!pending) {
      pending = this.read(address).then((piece) => {
        for (const [pointer, schema] of piece.schemas) this.schemas.set(pointer, schema);
        return piece;
      });
      pending.catch(() => this.pieces.delete(address));
      this.pieces.set(address, pending);
    }
    return pending;
  }

  async read(address) {
    const asked = `${this.base}${address}${address.includes('?') ? '&' : '?'}form=${FORM}`;
    const response = await fetch(asked, { headers: this.headers(), redirect: 'error' });
    if (!response.ok) throw new DocumentError(response.status);
    const piece = await response.json();
    keepProse(piece.prose ?? []);
    return piece;
  }
}
