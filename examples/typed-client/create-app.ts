import { PortalClient } from './client.js';

/** Signs in as a developer and creates an app with its first key. */
export async function createFirstApp(baseUrl: string, account: { email: string; password: string }) {
  const login = await new PortalClient({ baseUrl }).login({ body: account });
  // 202: a second factor is asked for, and `login.data` is the challenge.
  if (login.status !== 200) throw new Error(login.message);

  const client = new PortalClient({ baseUrl, token: login.data.access_token });
  const created = await client.createApp({
    body: { name: 'checkout', products: ['payments'] },
    // Sent again with the same key, it is not created twice.
    headers: { 'Idempotency-Key': 'first-checkout' },
  });
  const apps = await client.listApps({ query: { order_by: 'name', filters: { status: 'approved' } } });
  return {
    names: apps.data.map(({ name }) => name),
    // Only the answer that creates the key shows it.
    secret: created.data.credentials[0]?.consumer_secret,
    client,
  };
}
