import type { TestClient } from '../http-client.js';
import type { PacedLoad } from './paced-load.js';
import type { SignedUp } from './sign-ups.js';

export interface Traffic {
  /** Prefix of the names of its kinds. */
  readonly name: string;
  readonly client: TestClient;
  readonly person: SignedUp;
  /** Slug of a product that an app may have. */
  readonly product: string;
  /** Default 1: fifty requests a second. */
  readonly times?: number;
}

/** Typical traffic of a portal: reads and writes of all sorts. */
export function addTraffic(load: PacedLoad, { name, client, person, product, times = 1 }: Traffic): void {
  const { page, token } = person;
  const browser = page.copy(client);
  let count = 0;
  const next = () => `${name}${(count += 1)}`;
  const add = (kind: string, perSecond: number, run: () => Promise<{ status: number }>) =>
    load.add(`${name}: ${kind}`, perSecond * times, run);
  add('read the catalog', 20, () => client.get('/api/v1/api-products'));
  add('read a page', 5, () => browser.copy().get('/portal/profile', { follow: false }));
  add('read me', 10, () => client.get('/api/v1/me', { token }));
  add('PUT', 7, () => client.put('/api/v1/me', { last_name: next() }, { token }));
  add('POST', 6, () => client.post('/api/v1/auth/forgot-password', { email: `${next()}@example.com` }));
  add('POST and DELETE an app', 1, async () => {
    const app = next();
    const created = await client.post('/api/v1/me/apps', { name: app, products: [product] }, { token });
    return created.status === 201 ? client.delete(`/api/v1/me/apps/${app}`, { token }) : created;
  });
  add('POST a login', 1, async () => {
    const answer = await client.post('/api/v1/auth/login', { email: `${next()}@example.com`, password: 'x' });
    // The account does not exist: 401 is expected.
    return answer.status === 401 ? { status: 200 } : answer;
  });
}
