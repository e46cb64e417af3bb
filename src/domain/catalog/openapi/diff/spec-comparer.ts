import type { Clock } from '../../../../core/index.js';
import { SpecRefusal } from '../refusal.js';
import { SpecWorkers } from '../spec-workers.js';
import type { SpecDiff } from './diff-documents.js';

/** Compares documents off the event loop, with the limits of those threads in time and memory. */
export class SpecComparer {
  constructor(
    private readonly clock: Clock,
    private readonly maxBytes: number,
    /** Least days from a deprecation in a document to its sunset; 0 asks for none. */
    private readonly sunsetDays = 0,
    private readonly workers = new SpecWorkers(),
  ) {}

  /**
   * What changed for those who call the API.
   * @param old document as it is stored, which is checked JSON
   * @throws SpecRefusal for AsyncAPI, and for documents that take too long or too much memory
   * @throws ServiceUnavailableError when too many documents wait
   */
  async diffDocuments(old: string | Buffer, present: string | Buffer): Promise<SpecDiff> {
    const today = this.clock.now().toISOString().slice(0, 10);
    const policy = { today, sunsetDays: this.sunsetDays };
    const task = { kind: 'compare', old: old.toString(), present: present.toString(), policy } as const;
    return (await this.workers.run(task)).diff;
  }

  /**
   * The same of JSON or YAML that nobody has checked yet.
   * @throws SpecRefusal whose `field` is `old` or `new`, after the document that is at fault
   */
  async diffTexts(old: string, present: string): Promise<SpecDiff> {
    const [before, after] = await Promise.all([this.read(old, 'old'), this.read(present, 'new')]);
    return this.diffDocuments(before, after);
  }

  private async read(text: string, field: string): Promise<string> {
    try {
      return (await this.workers.run({ kind: 'read', text, maxBytes: this.maxBytes })).spec.document;
    } catch (error) {
      throw error instanceof SpecRefusal ? new SpecRefusal(error.message, field) : error;
    }
  }
}
