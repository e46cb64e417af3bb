import { createPortal } from '../../dist-test/src/portal.js';
import { portalConfig } from './settings.mjs';

const PASSWORD = 'correct horse battery staple';

/**
 * A migrated portal with the audience `partners`, whose one member is signed in, and what `fill` writes, indexed.
 * @param {(services: object) => Promise<void>} fill
 * @returns the member's access token, and the seconds that indexing took
 */
export async function seedPartner(settings, databaseUrl, fill) {
  const portal = createPortal({ config: portalConfig(settings, databaseUrl) });
  const { services, migrator } = portal;
  try {
    await migrator.up();
    await services.catalog.audiences.create({ name: 'partners' });
    const own = { email: 'ada@example.com', password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' };
    const { id } = await services.accounts.users.create({ ...own, status: 'active' });
    await services.catalog.audiences.addMembers('partners', [id]);
    await fill(services);
    const began = performance.now();
    await services.search.index.run();
    const seconds = (performance.now() - began) / 1000;
    const request = { requestId: 'bench-seed', ip: '127.0.0.1', userAgent: 'bench' };
    const { email, password } = own;
    const outcome = await services.auth.flow.attemptLogin({ email, password }, 'consumer', request);
    return { token: outcome.tokens.accessToken, seconds };
  } finally {
    await portal.close();
  }
}
