import type { ConsumerActor } from '../../domain/auth/index.js';
import { viewerOf } from '../../domain/catalog/index.js';
import { NotFoundError } from '../../core/index.js';
import { field } from '../form.js';
import { definePage, Download, type Visit } from '../page.js';
import { themselves } from './show-app.js';

/** A developer's own key for trying the product, one at a time and under the same rules as showing it on its page. */
export const keyPages = [
  definePage({
    method: 'post',
    path: '/products/:slug/spec/key',
    audience: 'developers',
    handle: async ({ services, actor, locale, params, request }: Visit<ConsumerActor>) => {
      const { catalog, apps, auth } = services;
      const product = await catalog.products.find(params.slug ?? '', viewerOf(actor), locale);
      const usable = await apps.credentials.usable(actor.id, product.id);
      const chosen = usable.find(({ id }) => String(id) === field(request, 'credential'));
      if (!chosen) throw new NotFoundError();
      const owned = await apps.credentials.find(await apps.apps.find(actor.user, chosen.app), chosen.id);
      auth.guard.requireRecentSignIn(actor);
      const { key } = await apps.credentials.reveal(owned, themselves(actor));
      return new Download(JSON.stringify({ key: key?.consumerKey ?? null }), {
        'Content-Type': 'application/json; charset=utf-8',
      });
    },
  }),
];
