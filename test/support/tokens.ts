import type { AuthContext, TokenPair } from '../../src/domain/auth/index.js';
import type { RequestInfo } from '../../src/core/index.js';
import { PASSWORD } from './factories.js';
import type { TestPortal } from './test-portal.js';

/** A request as the services see it. */
export const REQUEST: RequestInfo = { requestId: 'test-request', ip: '192.0.2.7', userAgent: 'jest' };

/** A token pair of an account, past the login and its limits. */
export async function issueTokens(
  { portal }: TestPortal,
  id: number,
  context: AuthContext = 'consumer',
): Promise<TokenPair> {
  const { users, admins } = portal.services.accounts;
  const { flow } = portal.services.auth;
  if (context === 'admin') {
    const { admin, authEpoch } = await admins.findCredentials(id);
    return flow.issueForUser({ context, id, email: admin.email, authEpoch, admin }, REQUEST);
  }
  const { user, authEpoch } = await users.findCredentials(id);
  return flow.issueForUser({ context, id, email: user.email, authEpoch, user }, REQUEST);
}

/** `POST /auth/login` of a developer; the password is the factories' unless given. */
export function logIn({ client }: TestPortal, email: string, password = PASSWORD) {
  return client.post('/api/v1/auth/login', { email, password });
}
