import type { Ui } from '../ui.js';
import type { ProjectChoices } from './init-choices.js';
import type { WriteReport } from './write-project.js';

const LABELS: Readonly<Record<keyof WriteReport, string>> = {
  written: 'written',
  overwritten: 'replaced',
  kept: 'kept',
  skipped: 'the same',
};

/**
 * Lists what was written, replaced, kept and skipped.
 * @param counted folders whose files are only counted
 */
export function showReport(report: WriteReport, ui: Ui, counted: readonly string[] = []): void {
  const outcomes = Object.keys(LABELS) as (keyof WriteReport)[];
  const rows = outcomes.flatMap((outcome) => fold(report[outcome], counted).map((path) => [LABELS[outcome], path]));
  for (const [word = '', path = ''] of rows) ui.line(`${word.padEnd(9)} ${path}`);
}

function fold(paths: readonly string[], [folder, ...others]: readonly string[]): string[] {
  if (folder === undefined) return [...paths];
  const inside = paths.filter((path) => path.startsWith(folder));
  const outside = paths.filter((path) => !path.startsWith(folder));
  return fold(inside.length > 1 ? [...outside, `${folder} (${inside.length} files)`] : paths, others);
}

interface Outcome {
  /** The project, relative to the working directory. */
  readonly folder: string;
  readonly choices: ProjectChoices;
  readonly report: WriteReport;
  readonly installed: boolean;
  /** Tables and roles are there. */
  readonly prepared: boolean;
  /** The folder `portal/` has records to begin with. */
  readonly hasRecords: boolean;
}

/** The next commands to run, in order. */
export function listNextSteps({ folder, choices, report, installed, prepared, hasRecords }: Outcome): string[] {
  const settings = [
    ...(choices.database === 'mysql' ? ['DATABASE_URL'] : []),
    ...(choices.sessions === 'redis' ? ['REDIS_URL'] : []),
    ...(choices.driver ? [choices.driver.toFillIn] : []),
  ];
  return [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...(report.kept.includes('package.json')
      ? ['# package.json was there already: make sure that it depends on portalkit']
      : []),
    ...(installed ? [] : ['npm install']),
    ...(settings.length === 0 ? [] : [`# set ${settings.join(', ')} in .env`]),
    ...(choices.driver?.tip === undefined ? [] : [`# ${choices.driver.tip}`]),
    ...(prepared ? [] : ['npx portal migrate', 'npx portal rbac:seed']),
    ...(hasRecords ? ['npx portal apply'] : []),
    'npx portal admin:create',
    'npm run dev',
  ];
}
