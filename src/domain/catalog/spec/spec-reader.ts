import { ValidationError } from '../../../kernel/index.js';
import type { StoredSpec } from './read-spec.js';
import { SpecRefusal } from './refusal.js';
import { SpecWorkers } from './spec-workers.js';

/** Characters kept of documents that were turned into YAML, and the most of one. */
const YAML_KEPT = 16 * 1024 * 1024;
const YAML_LONGEST = 4 * 1024 * 1024;

/** Checks documents before they are stored, and writes stored ones as YAML. */
export class SpecReader {
  /** By hash, oldest first. */
  private readonly yaml = new Map<string, string>();
  private readonly writing = new Map<string, Promise<string>>();

  constructor(
    private readonly maxBytes: number,
    private readonly workers = new SpecWorkers(),
  ) {}

  /**
   * @param source the document as JSON or YAML text, or parsed
   * @throws ValidationError on `spec` with the reason (S64)
   */
  async read(source: string | object): Promise<StoredSpec> {
    const text = typeof source === 'string' ? source : toText(source);
    if (text.trim() === '') throw refused('The document is empty.');
    if (Buffer.byteLength(text) > this.maxBytes) throw refused(`The document is larger than ${this.maxBytes} bytes.`);
    try {
      return (await this.workers.run({ kind: 'read', text, maxBytes: this.maxBytes })).spec;
    } catch (error) {
      throw error instanceof SpecRefusal ? refused(error.message) : error;
    }
  }

  /** A stored document as YAML. One too large to be written in time comes as it is: JSON is YAML. */
  async toYaml({ document, hash }: StoredSpec): Promise<string> {
    if (document.length > YAML_LONGEST) return document;
    const kept = this.yaml.get(hash);
    if (kept !== undefined) return kept;
    const pending = this.writing.get(hash) ?? this.writeYaml(document, hash);
    this.writing.set(hash, pending);
    return pending.finally(() => this.writing.delete(hash));
  }

  private async writeYaml(document: string, hash: string): Promise<string> {
    let text = document;
    try {
      text = (await this.workers.run({ kind: 'to-yaml', document })).text;
    } catch (error) {
      if (!(error instanceof SpecRefusal)) throw error;
    }
    this.keep(hash, text);
    return text;
  }

  private keep(hash: string, text: string): void {
    this.yaml.set(hash, text);
    let size = 0;
    for (const { length } of this.yaml.values()) size += length;
    for (const [oldest, { length }] of this.yaml) {
      if (size <= YAML_KEPT) return;
      this.yaml.delete(oldest);
      size -= length;
    }
  }
}

function toText(source: object): string {
  try {
    return JSON.stringify(source);
  } catch {
    throw refused('The document cannot be written as JSON: it nests too deep or refers to itself.');
  }
}

function refused(reason: string): ValidationError {
  return new ValidationError({ spec: [reason] });
}
