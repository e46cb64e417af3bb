import { CommandFailedError } from '../errors.js';
import { compareViews, NEWS } from '../publish/compare-views.js';
import { ok, warning, type Finding } from './finding.js';

const SHOWN = 5;

/** Published views that the package has changed since: they miss what an upgrade brought. */
export async function checkViews(folder: string): Promise<Finding> {
  try {
    const views = await compareViews(folder);
    const news = views.filter(({ state }) => NEWS.has(state)).map(({ path }) => path);
    if (views.length === 0) return ok('views', 'none published, all come from the package');
    if (news.length === 0) return ok('views', `${views.length} published, none of them changed in the package since`);
    const names = news.slice(0, SHOWN).join(', ') + (news.length > SHOWN ? ` and ${news.length - SHOWN} more` : '');
    return warning('views', `the package changed ${names} since published`, 'portal theme:diff');
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return warning('views', error.message.replace(/\.$/, ''), error.fix ?? 'portal theme:diff');
  }
}
