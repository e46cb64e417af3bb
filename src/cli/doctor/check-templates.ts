import type { Portal } from '../../portal.js';
import { CommandFailedError } from '../errors.js';
import { compareViews, NEWS } from '../publish/compare-templates.js';
import { pass, warning, type Finding } from './finding.js';

const SHOWN = 5;

/** Published views that have changed in the package since: they miss changes of an upgrade. */
export async function checkViews(folder: string): Promise<Finding> {
  try {
    const views = await compareViews(folder);
    const news = views.filter(({ state }) => NEWS.has(state)).map(({ path }) => path);
    if (views.length === 0) return pass('views', 'none published, all come from the package');
    if (news.length === 0) return pass('views', `${views.length} published, none of them changed in the package since`);
    const names = news.slice(0, SHOWN).join(', ') + (news.length > SHOWN ? ` and ${news.length - SHOWN} more` : '');
    return warning('views', `the package changed ${names} since published`, 'portal theme:diff');
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return warning('views', error.message.replace(/\.$/, ''), error.fix ?? 'portal theme:diff');
  }
}

/** Messages that a locale of the portal lacks: pages show them in the default locale. */
export async function checkWords({ config, translations }: Portal): Promise<Finding> {
  const { locales } = config.theme;
  try {
    const reports = await Promise.all(locales.map((locale) => translations.check(locale)));
    const faulty = reports.flatMap(({ locale, missing, untranslated, unknownValues }) => {
      const count = missing.length + untranslated.length + unknownValues.length;
      return count === 0 ? [] : [`${locale} (${count})`];
    });
    if (faulty.length === 0) return pass('words', `complete in ${locales.join(', ')}`);
    return warning('words', `words are missing or wrong in ${faulty.join(', ')}`, 'portal lang:check');
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    return warning('words', message, 'mend the file');
  }
}
