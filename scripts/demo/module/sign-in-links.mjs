/**
 * The module of the demo's project: its tour, and its sign-in links, `/portal/demo-sign-in/<token>` and `/admin/demo-sign-in/<token>`. The portal itself has no such
 * door: this module is written into the demo's own project, is no part of the package, and without the links that a running
 * `npm run demo` made it adds no page at all.
 */
import { createHash, randomBytes } from 'node:crypto';
import { tourPage } from './tour.mjs';

const LIFETIME_MS = 30 * 60_000;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;

const hash = (token) => createHash('sha256').update(token).digest('hex');

/**
 * Makes links, each for one sign-in. The portal is told the hashes only, in its environment, so no link is ever stored.
 * @param {string} url of the portal
 * @param {{ context: 'consumer' | 'admin', email: string, token?: string, to?: string, often?: boolean }[]} accounts
 *   `to` is where the link leads, in place of the first page of who signs in; `often` that it works more than once
 */
export function makeSignInLinks(url, accounts) {
  const made = accounts.map((account) => ({ token: randomBytes(32).toString('base64url'), ...account }));
  return {
    setting: JSON.stringify(made.map(({ token, ...rest }) => ({ ...rest, hash: hash(token) }))),
    links: made.map(({ context, token }) => `${url}/${context === 'admin' ? 'admin' : 'portal'}/demo-sign-in/${token}`),
  };
}

/**
 * The module of the demo's project.
 * @param {typeof import('portalkit')} portalkit
 * @param {Readonly<Record<string, string | undefined>>} env of the process
 */
export function demoSignIn(portalkit, env = process.env) {
  const { definePortalModule, definePage, maySignIn, NotFoundError, option, Redirect } = portalkit;
  return definePortalModule({
    name: 'demoSignIn',
    config: {
      links: option.text('', 'Hashes of the sign-in links of npm run demo.'),
      tour: option.text('', 'What the page of the tour of npm run demo knows.'),
      everybody: option.flag(
        false,
        'Links work from everywhere and as long as the demo runs: whoever finds it is an admin.',
      ),
    },
    templates: new URL('.', import.meta.url),
    check: ({ links }, { app }) =>
      links !== '' && (app.env === 'production' || env.NODE_ENV === 'production')
        ? [{ setting: 'links', what: 'must be empty in production: they open accounts without a password' }]
        : [],
    register({ options, clock }) {
      if (options.links === '') return {};
      const waiting = new Map(JSON.parse(options.links).map((link) => [link.hash, link]));
      const until = clock.now().getTime() + LIFETIME_MS;

      const isOpenTo = (ip) => options.everybody || (LOOPBACK.test(ip) && clock.now().getTime() < until);

      /** Each link once, but those of the tour, for a while, from this machine; whatever is wrong with one is not told. */
      const take = (token, context, ip) => {
        const key = hash(token);
        const link = waiting.get(key);
        if (!link || link.context !== context || !isOpenTo(ip)) return null;
        if (!link.often) waiting.delete(key);
        return link;
      };

      const page = (context) =>
        definePage({
          method: 'get',
          path: '/demo-sign-in/:token',
          audience: 'everyone',
          handle: async ({ params, request, services, session, home }) => {
            await services.auth.guard.throttle('credentials', request.info);
            const link = take(params.token, context, request.info.ip);
            const stored = link && (await services.auth.directory.findByEmail(context, link.email));
            if (!stored || !maySignIn(stored.account)) throw new NotFoundError();
            // The rules and further steps of every sign-in apply, and it is recorded like any.
            const outcome = await services.auth.flow.continueLogin(stored.account, request.info);
            if (outcome.kind !== 'account') throw new NotFoundError();
            await session.signIn(outcome.account);
            return new Redirect(link.to ?? home);
          },
        });
      const tour = options.tour === '' ? [] : [tourPage(portalkit, JSON.parse(options.tour), isOpenTo)];
      return { pages: [page('consumer'), ...tour], consolePages: [page('admin')] };
    },
  });
}
