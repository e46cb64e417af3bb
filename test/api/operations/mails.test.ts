import type { MailDraft } from '../../../src/mail/index.js';
import { createAdmin, createRole, createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startSmtp, type TestSmtp } from '../../support/smtp.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const MAILS = '/api/v1/admin/mails';
const LINK = 'https://portal.example.com/reset/canary-of-the-link';

let smtp: TestSmtp;
let test: TestPortal;
let token: string;
beforeAll(async () => {
  smtp = await startSmtp();
  const mail = { transport: 'smtp', url: smtp.url, from: 'Acme <no-reply@acme.example>' } as const;
  test = await startTestPortal({ config: { mail } });
  await test.portal.services.rbac.seed();
  token = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
});
afterAll(async () => {
  await test.stop();
  await smtp.close();
});
beforeEach(async () => {
  smtp.mood = 'accept';
  smtp.received.length = 0;
  await test.portal.database.execute('DELETE FROM portal_mails');
});

const deliver = () => test.portal.jobs.run('mail');
const queue = (to: string, draft: Partial<MailDraft> = {}) =>
  test.portal.mail.queue({ template: 'password-changed', to, locale: 'en', values: { url: LINK }, ...draft });
const list = async (query = '') => (await test.client.get(MAILS + query, { token })).json.data;
const filters = (value: unknown) => `?filters=${encodeURIComponent(JSON.stringify(value))}`;
const resend = (id: number) => test.client.post(`${MAILS}/${id}/resend`, {}, { token });

describe('GET /admin/mails', () => {
  it('tells to whom a mail goes and how it went, and nothing of what it says', async () => {
    smtp.mood = 'refuse';
    await queue('ada@example.com');
    await deliver();
    const answer = await test.client.get(MAILS, { token });
    expect(answer.json.data).toEqual([
      {
        ...{ id: expect.any(Number), template: 'password-changed', recipient: 'ada@example.com' },
        ...{
          state: 'failed',
          tries: 1,
          last_error: expect.stringMatching(/^MailRefusedError from Error EENVELOPE 5\d\d$/),
        },
        due_at: '2026-06-01T12:00:00.000Z',
        created_at: '2026-06-01T12:00:00.000Z',
        updated_at: '2026-06-01T12:00:00.000Z',
      },
    ]);
    const one = await test.client.get(`${MAILS}/${answer.json.data[0].id}`, { token });
    expect(one.json.data).toEqual(answer.json.data[0]);
    for (const { text } of [answer, one]) expect(text).not.toMatch(/canary|payload|v1\.|claim/);
  });

  it('is filtered by state, template and recipient, and sorted by time', async () => {
    await queue('ada@example.com');
    test.clock.advance(1);
    await queue('bob@example.com');
    await deliver();
    test.clock.advance(1);
    await queue('eve@example.com', { template: 'keys-closed' });
    const names = async (query = '') => (await list(query)).map(({ recipient }: { recipient: string }) => recipient[0]);
    expect(await names()).toEqual(['e', 'b', 'a']);
    expect(await names('?order_by=created_at')).toEqual(['a', 'b', 'e']);
    expect(await names('?order_by=due_at&direction=DESC')).toEqual(['e', 'b', 'a']);
    expect(await names(filters({ state: 'queued' }))).toEqual(['e']);
    expect(await names(filters({ template: 'password-changed' }))).toEqual(['b', 'a']);
    expect(await names(filters({ recipient: 'bob@example.com' }))).toEqual(['b']);
    for (const query of [filters({ payload: { like: 'v1' } }), '?order_by=payload', '?q=canary', '?with=payload']) {
      expect((await test.client.get(MAILS + query, { token })).status).toBe(422);
    }
  });

  it('shows the last failure of a mail that is tried again, and none once it was sent', async () => {
    smtp.mood = 'defer';
    await queue('ada@example.com');
    await deliver();
    expect(await list()).toMatchObject([
      { state: 'queued', tries: 1, last_error: expect.stringMatching(/^Error EENVELOPE 4\d\d$/) },
    ]);
    smtp.mood = 'accept';
    test.clock.advance(60);
    await deliver();
    expect(await list()).toMatchObject([{ state: 'sent', tries: 2, last_error: null }]);
  });
});

describe('POST /admin/mails/:id/resend', () => {
  it('sends a failed mail, as it was, with all tries ahead of it', async () => {
    smtp.mood = 'refuse';
    await queue('ada@example.com');
    await deliver();
    const [{ id }] = await list();
    smtp.mood = 'accept';
    test.clock.advance(3_600);
    token = await signIn(test, await createAdmin(test, { roles: ['super_admin'] }));
    const answer = await resend(id);
    expect([answer.status, answer.json.data]).toMatchObject([
      200,
      { id, state: 'queued', tries: 0, due_at: test.clock.now().toISOString() },
    ]);
    await deliver();
    expect(smtp.received).toHaveLength(1);
    expect(smtp.received[0]).toContain('canary-of-the-link');
    expect(await list()).toMatchObject([{ state: 'sent', tries: 1 }]);
  });

  it('brings forward a queued one, and is recorded without the address', async () => {
    smtp.mood = 'defer';
    await queue('ada@example.com');
    await deliver();
    const [{ id, due_at: due }] = await list();
    expect(Date.parse(due)).toBeGreaterThan(test.clock.now().getTime());
    expect((await resend(id)).json.data).toMatchObject({ state: 'queued', tries: 0 });
    const path = `/api/v1/admin/activities${filters({ action: 'mail.resent' })}`;
    const { json } = await test.client.get(`${path}&per_page=1`, { token });
    expect(json.data).toMatchObject([
      { actor: { type: 'admin' }, subject: { type: 'mail', id: String(id), label: 'password-changed' } },
    ]);
    expect(JSON.stringify(json.data[0].subject)).not.toContain('ada@');
  });

  it('refuses one that was sent, and one that is being sent now (R17)', async () => {
    await queue('ada@example.com');
    await deliver();
    const [{ id }] = await list();
    const refused = await resend(id);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['state']]);
    await queue('bob@example.com');
    const [{ id: busy }] = await list();
    const until = new Date(test.clock.now().getTime() + 60_000);
    const claimed = 'UPDATE portal_mails SET claim = ?, claimed_until = ? WHERE id = ?';
    await test.portal.database.execute(claimed, ['x', until, busy]);
    expect((await resend(busy)).status).toBe(409);
    expect((await resend(999_999)).status).toBe(404);
  });

  it('does not get around the limit of mails to an address that nobody proved', async () => {
    const limited = await startTestPortal({ config: { limits: { mails: { perUnprovedAddress: 1 } } } });
    try {
      await limited.portal.services.rbac.seed();
      const admin = await signIn(limited, await createAdmin(limited, { roles: ['super_admin'] }));
      const draft = { template: 'password-changed', to: 'x@example.com', locale: 'en', isUnproved: true, values: {} };
      for (let count = 0; count < 2; count += 1) await limited.portal.mail.queue(draft);
      await limited.portal.jobs.run('mail');
      const failed = async () =>
        (await limited.client.get(MAILS + filters({ state: 'failed' }), { token: admin })).json.data;
      const [{ id, last_error: error }] = await failed();
      expect(error).toBe('too many mails to one address');
      expect((await limited.client.post(`${MAILS}/${id}/resend`, {}, { token: admin })).status).toBe(200);
      await limited.portal.jobs.run('mail');
      expect(await failed()).toHaveLength(1);
    } finally {
      await limited.stop();
    }
  });
});

describe('the outbox of an account that is deleted', () => {
  it('forgets its address and what failed mails to it said; what waits still leaves', async () => {
    const user = await createUser(test, { email: 'leaving@example.com' });
    smtp.mood = 'refuse';
    await queue(user.email);
    await deliver();
    smtp.mood = 'accept';
    await test.client.delete(`/api/v1/admin/users/${user.id}`, { token });
    await queue('other@example.com');
    const rows = await test.portal.database.select<{ recipient: string | null; payload: string }>(
      "SELECT recipient, payload FROM portal_mails WHERE state = 'failed'",
    );
    expect(rows).toEqual([{ recipient: null, payload: '' }]);
    const [{ id }] = await list(filters({ state: 'failed' }));
    expect((await resend(id)).status).toBe(409);
  });
});

describe('the permissions of the outbox', () => {
  it('are portal.mails.view and portal.mails.update', async () => {
    await queue('ada@example.com');
    const [{ id }] = await list();
    const as = async (...permissions: string[]) => {
      const role = await createRole(test, ['portal.admin.access', ...permissions]);
      const own = await signIn(test, await createAdmin(test, { roles: [role] }));
      const { client } = test;
      const answers = [
        await client.get(MAILS, { token: own }),
        await client.get(`${MAILS}/${id}`, { token: own }),
        await client.post(`${MAILS}/${id}/resend`, {}, { token: own }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await as()).toEqual([403, 403, 403]);
    expect(await as('portal.mails.view')).toEqual([200, 200, 403]);
    expect(await as('portal.mails.update')).toEqual([403, 403, 200]);
    expect((await test.client.get(MAILS)).status).toBe(401);
  });

  it('are held by who supports developers, and auditors may look', async () => {
    const of = async (role: string) => {
      const { id } = await createAdmin(test, { roles: [role] });
      const held = await test.portal.services.rbac.findEffectivePermissions(id);
      return held.filter((name) => /\.(mails|jobs)\./.test(name));
    };
    expect(await of('support')).toEqual(['portal.mails.update', 'portal.mails.view']);
    expect(await of('auditor')).toEqual(['portal.jobs.view', 'portal.mails.view']);
    expect(await of('catalog_manager')).toEqual([]);
  });
});
