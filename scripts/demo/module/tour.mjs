/**
 * The tour of the demo: a page with five cards, each of which opens a real page as the person who would do what it says. Its
 * words are in `lang/`. The portal is told hashes only: whoever has the address of the tour can make those of its stops.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';

const PATH = '/tour';

/** `as` is who goes there, nobody for a visitor. */
const STOPS = [
  { name: 'try', path: ({ product }) => `/products/${product}/spec#op-listCurrencies` },
  { name: 'key', as: 'developer', path: ({ app }) => `/apps/${app}` },
  { name: 'approve', as: 'admin', path: () => '/inbox' },
  { name: 'usage', as: 'watcher', path: () => '/apps/price-watch/usage' },
  { name: 'change', as: 'admin', path: ({ product }) => `/products/${product}` },
];

const hash = (token) => createHash('sha256').update(token).digest('hex');
const tokenOf = (tour, { name }) => createHmac('sha256', tour).update(name).digest('base64url');

/**
 * @param {string} url of the portal
 * @param {object} facts `isPublic` for an address that everybody can guess, `product`, `app` of the developer, the `file` to upload, and `people` by the name that
 *   stops have in `as`, each with `context` and `email`
 * @returns the `address` of the tour, the `setting` that tells the portal of it, and the sign-ins that its stops need
 */
export function makeTour(url, { people, file, isPublic = false, ...facts }) {
  const token = isPublic ? 'start' : randomBytes(32).toString('base64url');
  const stops = STOPS.map((stop) => ({
    name: stop.name,
    to: stop.path(facts),
    context: people[stop.as]?.context ?? null,
  }));
  const accounts = STOPS.filter(({ as }) => as).map((stop) => ({
    ...people[stop.as],
    ...{ token: tokenOf(token, stop), to: stop.path(facts), often: true },
  }));
  return {
    address: `${url}/portal${PATH}/${token}`,
    setting: JSON.stringify({ hash: hash(token), file, stops }),
    accounts,
  };
}

/**
 * @param {typeof import('portalkit')} portalkit
 * @param {{ hash: string, file: string, stops: { name: string, to: string, context: string | null }[] }} tour
 * @param {(ip: string) => boolean} isOpenTo whether the tour is still there for who comes from this address
 */
export function tourPage({ definePage, View, NotFoundError }, tour, isOpenTo) {
  return definePage({
    method: 'get',
    path: `${PATH}/:token`,
    audience: 'everyone',
    handle: async ({ params: { token }, request, prefix }) => {
      if (hash(token) !== tour.hash || !isOpenTo(request.info.ip)) throw new NotFoundError();
      const stops = tour.stops.map((stop) => {
        const signInPath = `${stop.context === 'admin' ? '/admin' : prefix}/demo-sign-in/${tokenOf(token, stop)}`;
        const href = stop.context === null ? prefix + stop.to : signInPath;
        return { name: stop.name, href, file: stop.name === 'change' ? tour.file : null };
      });
      return new View('tour', { stops });
    },
  });
}
