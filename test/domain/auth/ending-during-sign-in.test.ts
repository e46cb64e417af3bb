import { TokenIssuedEvent, TokenRevokedEvent, UnauthenticatedError } from '../../../src/index.js';
import type { Transaction } from '../../../src/database/index.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { issueTokens, REQUEST } from '../../support/tokens.js';

const WAITING =
  "SELECT VARIABLE_VALUE AS n FROM information_schema.global_status WHERE VARIABLE_NAME = 'Innodb_row_lock_current_waits'";

// Who signs in and who ends sessions are two replicas, each with connections of its own.
let portal: TestPortal;
let replica: TestPortal;
const issued: string[] = [];
const revoked: TokenRevokedEvent[] = [];
let whileOpen: ((transaction: Transaction) => Promise<void>) | undefined;
beforeAll(async () => {
  portal = await startTestPortal({ replicas: 1 });
  replica = await startTestPortal({ databaseUrl: portal.databaseUrl, clock: portal.clock });
  portal.portal.events.on(TokenIssuedEvent, ({ sid }) => void issued.push(sid ?? ''));
  replica.portal.events.on(TokenRevokedEvent, (event) => void revoked.push(event));
  portal.portal.events.within(TokenIssuedEvent, (_event, transaction) => whileOpen?.(transaction));
});
afterAll(async () => {
  await replica.stop();
  await portal.stop();
});
beforeEach(() => {
  issued.splice(0);
  revoked.splice(0);
});

/**
 * Begins something that meets the locks of a transaction.
 * @returns once it waits for them or is over: what it comes to
 */
async function begin(
  transaction: Transaction,
  work: () => Promise<unknown>,
): Promise<{ readonly over: Promise<unknown> }> {
  let isOver = false;
  const over = work().finally(() => (isOver = true));
  over.catch(() => undefined);
  const { database } = portal.portal;
  // On SQLite it waits for the end of the transaction before it does anything.
  while (database.dialect === 'mysql' && !isOver) {
    const [row] = await database.select<{ n: string }>(WAITING, [], { transaction });
    if (row?.n !== '0') break;
  }
  return { over };
}

/** Signs in; between writing the session and its commit `end` begins. */
async function signInDuring(id: number, end: () => Promise<unknown>): Promise<void> {
  let ending: { readonly over: Promise<unknown> } | undefined;
  whileOpen = async (transaction) => {
    whileOpen = undefined;
    ending = await begin(transaction, end);
  };
  await issueTokens(portal, id);
  await ending?.over;
}

describe('a sign-in that is committed while sessions end', () => {
  const services = () => replica.portal.services;

  it.each([
    [
      'every session of its account',
      'session_ended',
      (id: number) => services().auth.sessions.revokeAll({ context: 'consumer', id }, REQUEST),
    ],
    [
      'those with the old password',
      'password_changed',
      (id: number) => services().accounts.users.changePassword(id, 'a wholly different phrase'),
    ],
    [
      'those of a disabled account',
      'account_disabled',
      (id: number) => services().accounts.users.setStatus(id, 'inactive'),
    ],
    ['those of a deleted account', 'account_deleted', (id: number) => services().accounts.users.delete(id)],
    ['those of everybody', 'everybody_signed_out', () => services().auth.sessions.endEverySession()],
  ])('ends with them, and that is announced: %s', async (_what, reason, end) => {
    const { id, email } = await createUser(portal);
    await issueTokens(portal, id);
    await signInDuring(id, () => end(id));
    const own = revoked.filter(({ accountId }) => accountId === id);
    expect(own.map(({ sid }) => sid).sort()).toEqual([...issued].sort());
    expect(own.map((event) => [event.reason, event.email])).toEqual(issued.map(() => [reason, email]));
  });

  it('is announced once when it ends in two ways at once', async () => {
    const { id } = await createUser(portal);
    const { refreshToken } = await issueTokens(portal, id);
    const owner = { context: 'consumer', id } as const;
    const { sessions, tokens } = services().auth;
    const told: string[] = [];
    portal.portal.events.on(TokenRevokedEvent, ({ reason }) => void told.push(reason));
    await issueTokens(portal, id);
    const [first = '', second = ''] = issued;
    const { over } = await portal.portal.database.transaction(async (transaction) => {
      await portal.portal.services.auth.sessions.end(owner, first, transaction, { reason: 'logout' });
      return begin(transaction, () => sessions.revokeAll(owner, REQUEST));
    });
    await over;
    expect([told, revoked.map(({ sid }) => sid)]).toEqual([['logout'], [second]]);
    expect(await tokens.revoke(refreshToken, owner, REQUEST)).toBe(false);
  });
});

describe('a sign-in that began before an end', () => {
  it('is refused after it, and leaves nothing', async () => {
    const { id, email } = await createUser(portal);
    const { user, authEpoch } = await portal.portal.services.accounts.users.findCredentials(id);
    const account = { context: 'consumer', id, email, authEpoch, user } as const;
    await replica.portal.services.auth.sessions.revokeAll(account, REQUEST);
    const { flow, sessions } = portal.portal.services.auth;
    await expect(flow.issueForUser(account, REQUEST)).rejects.toBeInstanceOf(UnauthenticatedError);
    const opening = sessions.open(account, { channel: 'theme', lifetime: 60, request: REQUEST });
    await expect(opening).rejects.toBeInstanceOf(UnauthenticatedError);
    const sql = 'SELECT COUNT(*) AS n FROM portal_sessions WHERE account_id = ?';
    expect(await portal.portal.database.select(sql, [id])).toEqual([{ n: 0 }]);
    expect([issued, revoked]).toEqual([[], []]);
  });
});

describe('a sign-in that begins while everybody is signed out', () => {
  it('ends with an announcement or not at all', async () => {
    const { id } = await createUser(portal);
    await issueTokens(portal, id);
    const { database } = replica.portal;
    let late: Promise<unknown> | undefined;
    const select = database.select.bind(database);
    jest.spyOn(database, 'select').mockImplementation(async (sql, ...rest) => {
      const rows = await select(sql, ...rest);
      if (!late && sql.includes('FROM portal_sessions')) {
        late = issueTokens(portal, id);
        // On SQLite it may have to wait for what is being done here.
        if (database.dialect === 'mysql') await late;
      }
      return rows;
    });
    await replica.portal.services.auth.sessions.endEverySession();
    jest.restoreAllMocks();
    await late;
    expect(issued).toHaveLength(2);
    // Whether the second is found depends on its random id.
    const { sessions } = portal.portal.services.auth;
    const alive = await Promise.all(
      issued.map(async (sid) => (await sessions.authenticate(sid, 'consumer', 'api')) !== null),
    );
    const told = revoked.filter(({ accountId }) => accountId === id).map(({ sid }) => sid);
    expect(issued.map((sid) => !told.includes(sid))).toEqual([false, alive[1]]);
    expect(alive[0]).toBe(false);
  });
});
