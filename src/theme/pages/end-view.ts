import { viewCookie } from '../cookies.js';
import { definePage, Redirect } from '../page.js';

/** The one form that a view as a developer takes: its end, which leads back to the developer in the console. */
export const endViewPages = [
  definePage({
    method: 'post',
    path: '/view/end',
    audience: 'everyone',
    exemptFromGates: true,
    viewable: true,
    handle: async ({ services, viewing, prefix }) => {
      const cookies = [viewCookie('', prefix)];
      if (!viewing) return new Redirect('/', undefined, { cookies });
      await services.console.developerViews.end(viewing.view, 'ended');
      return new Redirect(viewing.back, undefined, { external: true, cookies });
    },
  }),
];
