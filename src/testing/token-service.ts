import assert from 'node:assert/strict';
import type { AuthAccount, TokenServiceInterface } from '../domain/auth/index.js';
import { UnauthenticatedError } from '../core/index.js';
import type { ContractCheck } from './contract.js';
import { createDeveloper } from './factories.js';
import type { TestPortal } from './test-portal.js';
import { someRequest } from './some-request.js';

const GARBAGE = ['', 'x', 'a.b.c', 'prt_0', '\u0000', 'x'.repeat(5_000)];
/** Longer than a client may retry a refresh after a lost answer. */
const PAST_GRACE_S = 15;

interface Stage {
  tokens(): TokenServiceInterface;
  someone(): Promise<AuthAccount>;
  /** Asserts that the promise rejects with UnauthenticatedError. */
  expectUnauthenticated(promise: Promise<unknown>, why: string): Promise<void>;
  refresh(token: string): ReturnType<TokenServiceInterface['refresh']>;
  /** Advances the portal's clock. */
  advance(seconds: number): void;
}

/**
 * What a token service promises, a host's own `tokenService` included.
 * @param test a portal that runs with it; its clock is advanced
 */
export function tokenServiceContract(test: () => TestPortal): ContractCheck[] {
  const tokens = (): TokenServiceInterface => test().portal.services.auth.tokens;
  const someone = async (): Promise<AuthAccount> => {
    const { id } = await createDeveloper(test());
    return (await test().portal.services.auth.directory.find({ context: 'consumer', id })).account;
  };
  const expectUnauthenticated = (promise: Promise<unknown>, why: string) =>
    assert.rejects(promise, UnauthenticatedError, why);
  const refresh = (token: string) => tokens().refresh(token, 'consumer', someRequest());
  const advance = (seconds: number) => test().clock.advance(seconds);
  const stage: Stage = { tokens, someone, expectUnauthenticated, refresh, advance };
  return [...accessChecks(stage), ...refreshChecks(stage)];
}

function accessChecks({ tokens, someone, expectUnauthenticated, advance }: Stage): ContractCheck[] {
  return [
    {
      name: 'issues a bearer pair of two different tokens',
      run: async () => {
        const pair = await tokens().issue(await someone(), someRequest());
        assert.equal(pair.tokenType, 'Bearer');
        assert.ok(Number.isSafeInteger(pair.expiresIn) && pair.expiresIn > 0);
        assert.notEqual(pair.accessToken, pair.refreshToken);
      },
    },
    {
      name: 'tells from an access token whose it is, and which sign-in',
      run: async () => {
        const account = await someone();
        const first = await tokens().issue(account, someRequest());
        const second = await tokens().issue(account, someRequest());
        const claims = await tokens().verify(first.accessToken, 'consumer');
        assert.deepEqual([claims.context, claims.accountId], ['consumer', account.id]);
        assert.notEqual(claims.sid, (await tokens().verify(second.accessToken, 'consumer')).sid);
      },
    },
    {
      name: 'takes no access token that is forged, foreign, or of the other context',
      run: async () => {
        const { accessToken, refreshToken } = await tokens().issue(await someone(), someRequest());
        const forged = `${accessToken.slice(0, -4)}${accessToken.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
        for (const token of [...GARBAGE, forged, refreshToken]) {
          await expectUnauthenticated(tokens().verify(token, 'consumer'), JSON.stringify(token.slice(0, 20)));
        }
        await expectUnauthenticated(tokens().verify(accessToken, 'admin'), 'as an admin');
      },
    },
    {
      name: 'ends an access token after the seconds that it promised',
      run: async () => {
        const { accessToken, expiresIn } = await tokens().issue(await someone(), someRequest());
        // Verifiers may tolerate a minute of clock skew.
        advance(expiresIn + 61);
        await expectUnauthenticated(tokens().verify(accessToken, 'consumer'), 'after its end');
      },
    },
  ];
}

function refreshChecks({ tokens, someone, expectUnauthenticated, refresh, advance }: Stage): ContractCheck[] {
  return [
    {
      name: 'exchanges a refresh token for a new pair of the same sign-in',
      run: async () => {
        const first = await tokens().issue(await someone(), someRequest());
        const second = await refresh(first.refreshToken);
        assert.notEqual(second.refreshToken, first.refreshToken);
        const sids = [first, second].map(async (pair) => (await tokens().verify(pair.accessToken, 'consumer')).sid);
        const [before, after] = await Promise.all(sids);
        assert.equal(after, before);
      },
    },
    {
      name: 'ends the whole sign-in when a refresh token comes back that was exchanged',
      run: async () => {
        const first = await tokens().issue(await someone(), someRequest());
        const second = await refresh(first.refreshToken);
        advance(PAST_GRACE_S);
        await expectUnauthenticated(refresh(first.refreshToken), 'the one that was exchanged');
        await expectUnauthenticated(refresh(second.refreshToken), 'its successor');
      },
    },
    {
      name: 'takes no refresh token that is garbage or of the other context',
      run: async () => {
        const { refreshToken, accessToken } = await tokens().issue(await someone(), someRequest());
        for (const token of [...GARBAGE, accessToken]) {
          await expectUnauthenticated(refresh(token), JSON.stringify(token.slice(0, 20)));
        }
        await expectUnauthenticated(tokens().refresh(refreshToken, 'admin', someRequest()), 'as an admin');
      },
    },
    {
      name: 'revokes the own sign-in, and nothing of anybody else',
      run: async () => {
        const [owner, other] = [await someone(), await someone()];
        const pair = await tokens().issue(owner, someRequest());
        assert.equal(await tokens().revoke(pair.refreshToken, other, someRequest()), false);
        for (const token of GARBAGE) assert.equal(await tokens().revoke(token, owner, someRequest()), false);
        const next = await refresh(pair.refreshToken);
        assert.equal(await tokens().revoke(next.refreshToken, owner, someRequest()), true);
        await expectUnauthenticated(refresh(next.refreshToken), 'after it was revoked');
      },
    },
  ];
}
