import { DatabaseIdempotencyStore } from '../../src/cache/index.js';
import { parseKey } from '../../src/config/index.js';
import { AppLeases } from '../../src/domain/apps/app-leases.js';
import { ReauthenticationRequiredError } from '../../src/domain/auth/index.js';
import { EmailTokens } from '../../src/domain/auth/email-tokens.js';
import { OperationLog } from '../../src/domain/apps/gateway-operations/operation-log.js';
import { Encrypter, silentLogger } from '../../src/core/index.js';
import { JobLeases } from '../../src/jobs/index.js';
import { Developer } from '../support/apps.js';
import { createProduct, createUser } from '../support/factories.js';
import { Mailbox } from '../support/mailbox.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const HOUR_S = 3_600;

const box = new Mailbox();
let test: TestPortal;
beforeEach(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box } });
});
afterEach(() => test.stop());

/** A process has died, and when the next one starts the clock of the machine was set right: an hour back. */
const setBack = (): void => test.clock.advance(-HOUR_S);
/** What differs from the others by less than a minute is a replica, and holds what it holds. */
const tick = (): void => test.clock.advance(-30);

describe('after the clock went back an hour', () => {
  it('a job that a dead process held, and one that it had just done, run at once', async () => {
    const leases = new JobLeases(test.portal.database, test.clock);
    await leases.take('held', 60);
    await leases.complete('done', (await leases.take('done', 60)) ?? '');
    tick();
    expect([await leases.take('held', 60), await leases.take('done', 60)]).toEqual([null, null]);
    setBack();
    expect([await leases.take('held', 60), await leases.take('done', 60)]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
  });

  it('an app whose change broke off can be changed, and what broke off is brought to an end', async () => {
    const { database } = test.portal;
    const product = await createProduct(test);
    const developer = await Developer.create(test);
    const { id } = await developer.createApp('shop', [product.slug]);
    const leases = new AppLeases(database, test.clock);
    const operationLog = new OperationLog(database, test.clock);
    const until = new Date(test.clock.now().getTime() + 30_000);
    await database.execute('UPDATE portal_apps SET lease_token = ?, lease_until = ? WHERE id = ?', ['dead', until, id]);
    const intent = { kind: 'app.status', payload: {}, appId: id, userId: developer.user.id } as const;
    const left = await operationLog.open({ ...intent, credentialId: null, productId: null }, undefined, 40);
    const ending = { ...intent, kind: 'key.end', credentialId: null, productId: null } as const;
    await database.transaction((transaction) =>
      operationLog.openLater(ending, new Date(test.clock.now().getTime() + 86_400_000), transaction),
    );
    tick();
    expect([await leases.holdNow(id, () => Promise.resolve()), await operationLog.findDue(10)]).toEqual([false, []]);
    setBack();
    expect((await operationLog.findDue(10)).map((due) => due.id)).toEqual([left]);
    expect((await operationLog.findDueOf(developer.user.id, 10)).map((due) => due.id)).toEqual([left]);
    expect(await leases.holdNow(id, () => Promise.resolve())).toBe(true);
  });

  it('mails that wait for another try, or that a dead process was sending, leave at once', async () => {
    const { database, mail, jobs } = test.portal;
    for (let count = 0; count < 2; count += 1) {
      await mail.queue({
        template: 'password-changed',
        to: `a${count}@example.com`,
        locale: 'en',
        values: { url: 'x' },
      });
    }
    const soon = new Date(test.clock.now().getTime() + 30_000);
    const [first] = await database.select<{ id: number }>('SELECT MIN(id) AS id FROM portal_mails');
    await database.execute('UPDATE portal_mails SET due_at = ? WHERE id = ?', [soon, first?.id ?? 0]);
    await database.execute('UPDATE portal_mails SET claim = ?, claimed_until = ? WHERE id <> ?', [
      'dead',
      soon,
      first?.id ?? 0,
    ]);
    tick();
    await jobs.run('mail');
    expect(box.mails.splice(0)).toEqual([]);
    setBack();
    await jobs.run('mail');
    expect(
      box.mails
        .splice(0)
        .map(({ to }) => to)
        .sort(),
    ).toEqual(['a0@example.com', 'a1@example.com']);
  });

  it('a request under an Idempotency-Key that a dead process ran is taken over; an answer is kept', async () => {
    const { app } = test.portal.config;
    const masters = [parseKey(app.key)] as const;
    const parts = { database: test.portal.database, clock: test.clock, logger: silentLogger, masters };
    const store = new DatabaseIdempotencyStore({ ...parts, encrypter: new Encrypter([...masters]) });
    const begin = (key: string) => store.begin({ scope: 'a', key, content: 'same' });
    const answered = await begin('answered');
    if ('keep' in answered) await answered.keep({ status: 201, headers: {}, body: '{}' });
    await begin('broken off');
    tick();
    await expect(begin('broken off')).rejects.toMatchObject({ status: 409 });
    setBack();
    expect(await begin('broken off')).toHaveProperty('keep');
    expect(await begin('answered')).toMatchObject({ status: 201 });
  });

  it('links of mails, and a proof of the password, are not good for an hour longer', async () => {
    const links = new EmailTokens(test.portal.database, test.clock);
    const { id: userId, email } = await createUser(test);
    const token = await test.portal.database.transaction((transaction) =>
      links.issue({ userId, email, purpose: 'password-reset' }, 1_800, transaction),
    );
    const authTime = test.clock.now();
    const { guard } = test.portal.services.auth;
    tick();
    expect(await links.find(token, ['password-reset'])).not.toBeNull();
    guard.requireRecentSignIn({ authTime });
    setBack();
    expect(await links.find(token, ['password-reset'])).toBeNull();
    expect(() => guard.requireRecentSignIn({ authTime })).toThrow(ReauthenticationRequiredError);
  });
});
