import { join } from 'node:path';
import type { ChangeLevel, SpecChange, SpecDiff } from '../portal.js';

/** Input of a report. */
export interface Told {
  readonly diff: SpecDiff;
  readonly say: (change: SpecChange) => string;
  /** Of the two documents. */
  readonly names: readonly [string, string];
}

/** Says changes in English, as the package has it. */
export async function loadChangeWriter(): Promise<Told['say']> {
  const [{ describeSpecChange, Dictionary, say, TemplateFiles }, { packageFolder }] = await Promise.all([
    import('../portal.js'),
    import('../core/manifest.js'),
  ]);
  const dictionary = new Dictionary(new TemplateFiles([join(packageFolder(), 'templates')]), 'en', true);
  const messages = await dictionary.messages('en');
  return (change) => describeSpecChange(change, (key, values) => say(messages, 'en', key, values));
}

const TITLES: Readonly<Record<ChangeLevel, string>> = {
  breaking: 'Breaking',
  warning: 'Warnings',
  info: 'Other changes',
};
const LEVELS = Object.keys(TITLES) as ChangeLevel[];

/**
 * The changes as text, as Markdown for a comment, or as JUnit XML, in which a change of these levels is a test that failed, and so
 * is a comparison that was cut.
 */
export function writeSpecReport(
  told: Told,
  format: 'text' | 'markdown' | 'junit',
  failing: readonly ChangeLevel[] = ['breaking'],
): string {
  if (format === 'junit') return writeJunit(told, failing);
  return format === 'markdown' ? writeMarkdown(told) : writeText(told);
}

function writeText(told: Told): string {
  const lines = told.diff.changes.map((change) => {
    const where = change.operation ?? '(document)';
    return `${change.level.padEnd(8)}  ${where}  ${told.say(change)}  [${change.id}]`;
  });
  return [...lines, ...writeClosing(told.diff)].join('\n');
}

function writeMarkdown(told: Told): string {
  const { changes, counts } = told.diff;
  const parts = LEVELS.filter((level) => counts[level] > 0).map((level) => {
    const rows = changes.filter((change) => change.level === level);
    const lines = rows.map((change) => {
      const where = change.operation === null ? '' : `**${escapeMarkdown(change.operation)}** – `;
      return `- ${where}${escapeMarkdown(told.say(change))} (\`${change.id}\`)`;
    });
    return [`### ${TITLES[level]} (${counts[level]})`, '', ...lines, ''].join('\n');
  });
  const [old, present] = told.names.map(escapeMarkdown);
  return [`## What changed from ${old} to ${present}`, '', ...parts, ...writeClosing(told.diff)].join('\n');
}

function writeJunit({ diff, say }: Told, failing: readonly ChangeLevel[]): string {
  const cases = diff.changes.map((change) => {
    const { id, level, operation, pointer } = change;
    const isFailed = failing.includes(level);
    return { where: operation ?? 'document', name: id, text: say(change), type: level, isFailed, detail: pointer };
  });
  // Whoever reads this file alone must not take what was not compared for safe.
  const cut = {
    where: 'document',
    name: 'incomplete',
    text: INCOMPLETE,
    type: 'incomplete',
    isFailed: true,
    detail: '',
  };
  const all = diff.isComplete ? cases : [...cases, cut];
  const failed = all.filter(({ isFailed }) => isFailed).length;
  const lines = all.map(({ where, name, text, type, isFailed, detail }) => {
    const open = `    <testcase classname="${escapeXml(where)}" name="${escapeXml(`${name}: ${text}`)}"`;
    if (!isFailed) return `${open}/>`;
    return `${open}>\n      <failure message="${escapeXml(text)}" type="${type}">${escapeXml(detail)}</failure>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${all.length}" failures="${failed}">`,
    `  <testsuite name="spec:diff" tests="${all.length}" failures="${failed}">`,
    ...lines,
    `    <system-out>${escapeXml(writeClosing(diff).join(' '))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

const INCOMPLETE = 'The documents are too involved to be compared in whole: there may be more.';

function writeClosing({ counts, more, isComplete }: SpecDiff): string[] {
  const { breaking, warning, info } = counts;
  const total = breaking + warning + info;
  const lines = [
    total === 0 ? 'Nothing changed for callers.' : `${breaking} breaking, ${warning} warnings, ${info} others.`,
  ];
  if (more > 0) lines.push(`… and ${more} more, which are counted and not listed.`);
  if (!isComplete) lines.push(INCOMPLETE);
  return lines;
}

/** For texts and attributes of XML. */
export const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*_[\]<>|#~&!]/g, String.raw`\$&`);

/** What was not compared may break callers, too. */
export function mayBreak({ counts, isComplete }: SpecDiff): boolean {
  return counts.breaking > 0 || !isComplete;
}

/** The same for programs. */
export function presentDiff({ diff, say }: Told) {
  const { changes, counts, more, isComplete } = diff;
  return {
    ...{ counts, more, complete: isComplete },
    changes: changes.map((change) => {
      const { id, level, operation, pointer, old } = change;
      return { id, level, operation, pointer, old, new: change.new, text: say(change) };
    }),
  };
}
