import {
  AuthFlow,
  LoginSucceededEvent,
  SessionOpeningEvent,
  TokenIssuedEvent,
  TokenService,
} from '../../../src/domain/auth/index.js';
import type { RequestInfo } from '../../../src/core/index.js';
import { createUser, PASSWORD } from '../../support/factories.js';
import type { PortalExtensions } from '../../../src/config/index.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

describe('what is written of a login', () => {
  let test: TestPortal;
  afterEach(() => test.stop());

  const start = async (extensions: PortalExtensions = {}) => {
    test = await startTestPortal({ extensions });
    return createUser(test);
  };
  const request = (): RequestInfo => ({ requestId: 'r', ip: '192.0.2.1', userAgent: 'test' });
  const signIn = (email: string, from = request()) =>
    test.portal.services.auth.flow.attemptLogin({ email, password: PASSWORD }, 'consumer', from);
  const written = async () => {
    const rows = await test.portal.database.select<{ action: string }>(
      'SELECT action FROM portal_activities ORDER BY id',
    );
    return rows.map(({ action }) => action).filter((action) => /^(user\.login|token\.)/.test(action));
  };
  it('stands in one transaction with its tokens', async () => {
    const { email } = await start();
    const transactions = new Set<unknown>();
    for (const event of [LoginSucceededEvent, TokenIssuedEvent]) {
      test.portal.events.within(event, (_event, transaction) => void transactions.add(transaction));
    }
    await signIn(email);
    expect(transactions.size).toBe(1);
    expect([...transactions]).not.toContain(undefined);
    expect(await written()).toEqual(['user.login', 'token.issued']);
  });

  it('is each of them once, also when the same request signs in several at a time', async () => {
    const { email } = await start();
    const shared = request();
    const outcomes = await Promise.all([signIn(email, shared), signIn(email, shared), signIn(email, shared)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['tokens', 'tokens', 'tokens']);
    expect((await written()).sort()).toEqual([...Array(3).fill('token.issued'), ...Array(3).fill('user.login')]);
  });

  it('stands alone when no tokens follow', async () => {
    const { email } = await start();
    await test.portal.services.auth.flow.authenticate({ email, password: PASSWORD }, 'consumer', request());
    expect(await written()).toEqual(['user.login']);
  });

  it('stands alone when the tokens are refused', async () => {
    const { email } = await start();
    test.portal.events.within(SessionOpeningEvent, () => Promise.reject(new Error('not today')));
    await expect(signIn(email)).rejects.toThrow('not today');
    expect(await written()).toEqual(['user.login']);
  });

  it('stands alone when a host asks for more after the login', async () => {
    const { email } = await start({
      authFlow: (parts) =>
        new (class extends AuthFlow {
          override async authenticate(...given: Parameters<AuthFlow['authenticate']>) {
            const outcome = await super.authenticate(...given);
            return outcome.kind === 'account'
              ? ({ kind: 'challenge', data: { challenge_token: 'more', expires_in: 300 }, message: 'More.' } as const)
              : outcome;
          }
        })(parts),
    });
    expect(await signIn(email)).toMatchObject({ kind: 'challenge' });
    expect(await written()).toEqual(['user.login']);
  });

  it('stands alone with tokens of a host that knows nothing of it', async () => {
    const { email } = await start({
      tokenService: (parts) =>
        new (class extends TokenService {
          override issue(...[account, from]: Parameters<TokenService['issue']>) {
            return super.issue(account, from);
          }
        })(parts),
    });
    expect(await signIn(email)).toMatchObject({ kind: 'tokens' });
    expect(await written()).toEqual(['token.issued', 'user.login']);
  });
});
