import type { SpecDiff } from './openapi/diff/diff-documents.js';
import { describeSpecChange, type SpecChange } from './openapi/diff/spec-change.js';
import { escapeMarkdown } from './openapi/written/write-markdown.js';

type Values = Readonly<Record<string, string | number>>;
type Say = (key: string, values?: Values) => string;

/** The messages of the portal in a language. */
export type SayIn = (locale: string) => Promise<Say>;

/** A change with its description. */
export interface DescribedChange extends SpecChange {
  /** A sentence. */
  readonly text: string;
  /** The sentence with the operation before it. */
  readonly line: string;
}

/** What an entry of a changelog says of changes. */
export interface EntryTexts {
  readonly name: string;
  readonly shortDescription: string;
  /** Markdown. */
  readonly description: string;
}

const LEVELS = ['breaking', 'warning', 'info'] as const;
const LONGEST_NAME = 200;

/** Describes changes of documents for people. */
export class SpecChangeWriter {
  constructor(private readonly sayIn: SayIn) {}

  async describe(changes: readonly SpecChange[], locale: string): Promise<DescribedChange[]> {
    const say = await this.sayIn(locale);
    return changes.map((change) => {
      const text = describeSpecChange(change, say);
      return { ...change, text, line: change.operation === null ? text : `${change.operation}: ${text}` };
    });
  }

  /**
   * Changes as an entry of a changelog, the breaking ones first.
   * @param longest description, in characters; what goes beyond is counted
   */
  async writeEntry(diff: SpecDiff, locale: string, longest: number): Promise<EntryTexts> {
    const say = await this.sayIn(locale);
    const [worst = 'info'] = LEVELS.filter((level) => diff.counts[level] > 0);
    const operations = new Set(diff.changes.map(({ operation }) => operation));
    const [only] = operations.size === 1 ? operations : [null];
    const title = say(`specChange.entry.name.${worst}`);
    const counts = LEVELS.filter((level) => diff.counts[level] > 0);
    return {
      name: clean(only == null ? title : `${title}: ${only}`).slice(0, LONGEST_NAME),
      shortDescription: counts.map((level) => say(`compare.${level}`, { count: diff.counts[level] })).join(' · '),
      description: writeFindings(diff, say, longest),
    };
  }
}

function writeFindings({ changes, counts, isComplete }: SpecDiff, say: Say, longest: number): string {
  let room = longest;
  let told = 0;
  const parts = LEVELS.filter((level) => counts[level] > 0).map((level) => {
    const lines = [`### ${say(`specChange.entry.${level}`)}`, '', say(`specChange.entry.what.${level}`), ''];
    for (const change of changes) {
      if (change.level !== level) continue;
      const line = `- ${writeFinding(change, say)}`;
      if (line.length + 1 > room) break;
      room -= line.length + 1;
      told += 1;
      lines.push(line);
    }
    return lines.join('\n');
  });
  const more = counts.breaking + counts.warning + counts.info - told;
  if (more > 0) parts.push(say('compare.more', { count: more }));
  if (!isComplete) parts.push(say('compare.incomplete'));
  return parts.join('\n\n');
}

function writeFinding(change: SpecChange, say: Say): string {
  const text = escapeMarkdown(clean(describeSpecChange(change, say)));
  return change.operation === null ? text : `**${escapeMarkdown(clean(change.operation))}** – ${text}`;
}

/** Without what a field of a form refuses: names in documents may hold anything. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}
