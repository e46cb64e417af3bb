import { NotFoundError } from '../../core/index.js';
import { localeCookie } from '../cookies.js';
import { definePage, Redirect } from '../page.js';
import { returnPath } from './account-forms.js';

export const preferencePages = [
  definePage({
    method: 'post',
    path: '/locale/:locale',
    audience: 'everyone',
    originOnly: true,
    exemptFromGates: true,
    handle: async (visit) => {
      const { services, actor, params } = visit;
      const locale = services.site.about.locales.find((code) => code === params.locale);
      if (locale === undefined) throw new NotFoundError();
      // Mails that the developer did not request use it too.
      if (actor?.context === 'consumer') await services.accounts.users.updateProfile(actor.id, { locale });
      return new Redirect(returnPath(visit) ?? '/', undefined, { cookies: [localeCookie(locale)] });
    },
  }),
];
