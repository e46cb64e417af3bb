import { NotFoundError } from '../../kernel/index.js';
import { LOCALE_COOKIE } from '../cookies.js';
import { definePage, Redirect } from '../page.js';
import { returnPath } from './account-forms.js';

const YEAR_S = 31_536_000;

export const preferencePages = [
  definePage({
    method: 'post',
    path: '/locale/:locale',
    audience: 'everyone',
    originOnly: true,
    handle: (visit) => {
      const { services, params } = visit;
      const locale = services.site.about.locales.find((code) => code === params.locale);
      if (locale === undefined) throw new NotFoundError();
      const cookie = { name: LOCALE_COOKIE, value: locale, path: '/', maxAge: YEAR_S };
      return Promise.resolve(new Redirect(returnPath(visit) ?? '/', undefined, { cookies: [cookie] }));
    },
  }),
];
