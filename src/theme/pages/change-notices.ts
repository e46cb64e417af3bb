import { field } from '../form.js';
import { definePage, Redirect, View } from '../page.js';

/** What developers are told of changes, and the end of mails about them. */
export const changeNoticePages = [
  definePage({
    method: 'get',
    path: '/unsubscribe',
    audience: 'everyone',
    handle: ({ request }) => {
      const token = request.query.get('token')?.at(-1) ?? '';
      const state = request.query.get('state')?.at(-1) ?? '';
      return Promise.resolve(new View('unsubscribe', { token: /^[\w.-]{1,100}$/.test(token) ? token : '', state }));
    },
  }),
  definePage({
    method: 'post',
    path: '/notices',
    audience: 'developers',
    handle: async ({ services, actor, request }) => {
      const notice = Number(field(request, 'notice'));
      if (Number.isSafeInteger(notice) && notice > 0) await services.notices.acknowledge(actor.id, notice);
      else await services.notices.readAll(actor.id);
      return new Redirect('/dashboard', 'saved');
    },
  }),
];
