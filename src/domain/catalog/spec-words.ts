import { describeSpecChange, type SpecChange } from './openapi/diff/spec-change.js';

type Values = Readonly<Record<string, string>>;

/** The messages of the portal in a language. */
export type SayIn = (locale: string) => Promise<(key: string, values?: Values) => string>;

/** A change in words. */
export interface DescribedChange extends SpecChange {
  /** A sentence. */
  readonly text: string;
  /** The sentence with the operation before it. */
  readonly line: string;
}

/** Changes of documents in words that a person understands. */
export class SpecWords {
  constructor(private readonly sayIn: SayIn) {}

  async describe(changes: readonly SpecChange[], locale: string): Promise<DescribedChange[]> {
    const say = await this.sayIn(locale);
    return changes.map((change) => {
      const text = describeSpecChange(change, say);
      return { ...change, text, line: change.operation === null ? text : `${change.operation}: ${text}` };
    });
  }
}
