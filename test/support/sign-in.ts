import type { AdminRecord, UserRecord } from '../../src/domain/accounts/index.js';
import { PASSWORD } from './factories.js';
import type { TestPortal } from './test-portal.js';

/** The access token of an account made by a factory, through the real login. */
export async function signIn({ client, portal }: TestPortal, account: UserRecord | AdminRecord): Promise<string> {
  return (await signInPair({ client, portal }, account)).access_token;
}

/** The same with the refresh token. */
export async function signInPair(
  { client, portal }: Pick<TestPortal, 'client' | 'portal'>,
  account: UserRecord | AdminRecord,
): Promise<{ access_token: string; refresh_token: string }> {
  const { prefix, adminPrefix } = portal.config.portalApi;
  const path = `${prefix}${'firstName' in account ? '' : `/${adminPrefix}`}/auth/login`;
  const answer = await client.post(path, { email: account.email, password: PASSWORD });
  if (answer.status !== 200) throw new Error(`the login of ${account.email} answered ${answer.status}: ${answer.text}`);
  return answer.json.data;
}
