import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ChangeLevel, SpecDiff } from '../../portal.js';
import { defineCommand } from '../command.js';
import { EXIT } from '../errors.js';
import { loadChangeWriter, presentDiff, writeSpecReport, type Told } from '../spec-report.js';

/** Largest document, in bytes: the most that a portal may be set to take. */
const LARGEST = 104_857_600;

export const specDiff = defineCommand({
  name: 'spec:diff',
  summary: 'say what changed between two OpenAPI documents, and what of it breaks callers',
  description:
    'Compares two OpenAPI 3.0, 3.1, 3.2 or Swagger 2.0 documents, JSON or YAML, by the rules and names of oasdiff. Breaking changes ' +
    'can fail a caller that kept to the old document, warnings may, the rest cannot. Needs no project, no server and no ' +
    'database. Ends with 0 if nothing was found at or above --fail-on, with 1 if something was or the documents are too ' +
    'involved to be compared in whole, and with 2 if a document cannot be read.',
  example: [
    'portal spec:diff old.yaml new.yaml',
    'portal spec:diff old.yaml new.yaml --fail-on warning --format markdown',
    'portal spec:diff main.json openapi.json --format junit > spec-diff.xml',
  ],
  arguments: {
    old: { description: 'the document that callers keep to' },
    new: { description: 'the document that is to replace it' },
  },
  options: {
    failOn: {
      type: 'choice',
      choices: ['breaking', 'warning', 'info', 'never'],
      default: 'breaking',
      description: 'the least level that ends with 1',
    },
    sunsetDays: {
      type: 'integer',
      default: 0,
      description: 'least days from a deprecation to its x-sunset; 0 asks for no sunset',
    },
    format: {
      type: 'choice',
      choices: ['text', 'markdown', 'json', 'junit'],
      default: 'text',
      description: 'how the changes are written',
    },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const [{ SpecComparer }, { systemClock }] = await Promise.all([
      import('../../portal.js'),
      import('../../core/index.js'),
    ]);
    let diff: SpecDiff;
    try {
      const texts = await Promise.all([args.old, args.new].map((name) => readFile(resolve(cwd, name), 'utf8')));
      const comparer = new SpecComparer(systemClock, LARGEST, options.sunsetDays);
      diff = await comparer.diffTexts(texts[0] ?? '', texts[1] ?? '');
    } catch (error) {
      ui.error(reasonOf(error as NodeJS.ErrnoException & { field?: string }, args));
      return EXIT.usage;
    }
    const told: Told = { diff, say: await loadChangeWriter(), names: [args.old, args.new] };
    const report = presentDiff(told);
    if (json) ui.json(report);
    else if (options.format === 'json') ui.line(JSON.stringify(report, null, 2));
    // Who asks for a report only still sees what breaks.
    else
      ui.line(writeSpecReport(told, options.format, FAILING[options.failOn === 'never' ? 'breaking' : options.failOn]));
    return isAtLeast(diff, options.failOn) ? EXIT.failed : EXIT.ok;
  },
});

/** The least level says how many of the three fail. */
const FAILING: Readonly<Record<ChangeLevel | 'never', readonly ChangeLevel[]>> = {
  never: [],
  breaking: ['breaking'],
  warning: ['breaking', 'warning'],
  info: ['breaking', 'warning', 'info'],
};

/** What was not compared may be of any level. */
function isAtLeast({ counts, isComplete }: SpecDiff, level: ChangeLevel | 'never'): boolean {
  return FAILING[level].some((each) => counts[each] > 0 || !isComplete);
}

function reasonOf(error: NodeJS.ErrnoException & { field?: string }, args: { old: string; new: string }): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'There is no such file',
    EISDIR: 'It is a folder',
    EACCES: 'It may not be read',
  };
  if (error.code !== undefined && error.path !== undefined) {
    return `${error.path}: ${reasons[error.code] ?? error.message}. Name the two documents as paths from the current folder.`;
  }
  const name = error.field === 'old' ? args.old : error.field === 'new' ? args.new : null;
  return name === null ? error.message : `${name}: ${error.message}`;
}
