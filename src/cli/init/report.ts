import type { Ui } from '../ui.js';
import type { Choices } from './choices.js';
import type { WriteReport } from './write-project.js';

const WORDS: Readonly<Record<keyof WriteReport, string>> = {
  written: 'written',
  overwritten: 'replaced',
  kept: 'kept',
  skipped: 'the same',
};

/** Lists what was written, replaced, kept and skipped; migrations are counted, there are dozens. */
export function showReport(report: WriteReport, ui: Ui): void {
  const outcomes = Object.keys(WORDS) as (keyof WriteReport)[];
  const rows = outcomes.flatMap((outcome) => fold(report[outcome]).map((path) => [WORDS[outcome], path]));
  for (const [word = '', path = ''] of rows) ui.line(`${word.padEnd(9)} ${path}`);
}

function fold(paths: readonly string[]): string[] {
  const migrations = paths.filter((path) => path.startsWith('migrations/'));
  const others = paths.filter((path) => !path.startsWith('migrations/'));
  return migrations.length > 1 ? [...others, `migrations/ (${migrations.length} files)`] : [...others, ...migrations];
}

interface Outcome {
  /** Of the project, from where the command was started. */
  readonly folder: string;
  readonly choices: Choices;
  readonly report: WriteReport;
  readonly installed: boolean;
}

/** What to type next, in order. */
export function nextSteps({ folder, choices, report, installed }: Outcome): string[] {
  const settings = [
    ...(choices.database === 'mysql' ? ['DATABASE_URL'] : []),
    ...(choices.sessions === 'redis' ? ['REDIS_URL'] : []),
    ...(choices.gateway === 'apigee' ? ['GATEWAY_APIGEE_…'] : []),
  ];
  return [
    ...(folder === '' ? [] : [`cd ${folder}`]),
    ...(report.kept.includes('package.json')
      ? ['# package.json was there already: make sure that it depends on portalkit']
      : []),
    ...(installed ? [] : ['npm install']),
    ...(choices.gateway === 'apigee'
      ? ['# this version brings no driver for Apigee: give one as gatewayDrivers in portal.config.ts']
      : []),
    ...(settings.length === 0 ? [] : [`# set ${settings.join(', ')} in .env`]),
    'npx portal migrate',
    'npx portal rbac:seed',
    'npx portal admin:create',
    'npm run dev',
  ];
}
