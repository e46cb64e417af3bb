import type { TranslationReport } from '../../portal.js';
import { defineCommand } from '../command.js';
import { EXIT } from '../errors.js';
import { localeTag, readMessages } from '../locale.js';
import { withAnyPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

const MOST_SHOWN = 20;

export const langCheck = defineCommand({
  name: 'lang:check',
  summary: 'find the words that a language lacks',
  description:
    'Compares the words of a language, those of the package, of modules and of the project, with English and with the ' +
    'default language: words that are missing, sentences that are still English, and values that nothing fills in. ' +
    'Without a name, every language of theme.locales. Pages and mails say a missing word in the default language. Exits ' +
    'with 1 when there is something to translate.',
  example: ['portal lang:check', 'portal lang:check fr', 'portal lang:check fr --json'],
  arguments: { locale: { description: 'a language tag such as fr', optional: true } },
  reports: true,
  async run({ cwd, ui, json, args }) {
    const chosen = args.locale === undefined ? undefined : localeTag(args.locale);
    const reports = await withAnyPortal({ cwd, ui }, (portal) => {
      const { locales } = portal.config.theme;
      if (chosen !== undefined && !locales.includes(chosen)) ui.note(`${chosen} is not in theme.locales yet.`);
      return readMessages(portal, ({ check }) => Promise.all((chosen === undefined ? locales : [chosen]).map(check)));
    });
    const isComplete = reports.every((report) => faultsOf(report).length === 0);
    if (json) ui.json({ complete: isComplete, locales: reports.map(present) });
    else showReports(reports, ui);
    return isComplete ? EXIT.ok : EXIT.failed;
  },
});

function present({ locale, words, missing, untranslated, unknownValues }: TranslationReport) {
  return { locale, words, missing, untranslated, unknown_values: unknownValues };
}

function showReports(reports: readonly TranslationReport[], ui: Ui): void {
  ui.table([
    ['LANGUAGE', 'WORDS', 'MISSING', 'STILL ENGLISH', 'UNKNOWN VALUES'],
    ...reports.map(({ locale, words, missing, untranslated, unknownValues }) =>
      [locale, words, missing.length, untranslated.length, unknownValues.length].map(String),
    ),
  ]);
  for (const report of reports) showFaults(report, ui);
  if (reports.every((report) => faultsOf(report).length === 0)) {
    ui.line();
    ui.success('Every word is there.');
  }
}

function showFaults(report: TranslationReport, ui: Ui): void {
  const faults = faultsOf(report);
  if (faults.length === 0) return;
  ui.line();
  for (const fault of faults.slice(0, MOST_SHOWN)) ui.line(`${report.locale}  ${fault}`);
  if (faults.length > MOST_SHOWN) ui.note(`… and ${faults.length - MOST_SHOWN} more; --json has all of them.`);
  if (report.missing.length > 0)
    ui.note(`portal make:locale ${report.locale} writes the missing words, to translate them.`);
}

function faultsOf({ missing, untranslated, unknownValues }: TranslationReport): string[] {
  return [
    ...missing.map(({ key, source }) => `${key}: missing (${JSON.stringify(source)})`),
    ...untranslated.map(({ key, source }) => `${key}: still ${JSON.stringify(source)}`),
    ...unknownValues.map(
      ({ key, source, values }) =>
        `${key}: nothing fills in ${values.map((name) => `{${name}}`).join(', ')} (${JSON.stringify(source)})`,
    ),
  ];
}
