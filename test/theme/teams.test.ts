import { createUser, PASSWORD } from '../support/factories.js';
import { Mailbox, tokenOf } from '../support/mailbox.js';
import { PageClient } from '../support/page-client.js';
import { createTeam } from '../support/teams.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ADA = 'ada@example.com';
const box = new Mailbox();
let test: TestPortal;
let team: Awaited<ReturnType<typeof createTeam>>;
beforeAll(async () => {
  test = await startTestPortal({ extensions: { mailer: () => box } });
  const emailVerifiedAt = test.clock.now();
  await createUser(test, { email: ADA, emailVerifiedAt });
  team = await createTeam(test, await createUser(test, { email: 'owner@example.com', emailVerifiedAt }));
});
afterAll(() => test.stop());

async function signIn(email: string): Promise<PageClient> {
  const client = new PageClient(test.client);
  await client.submit('/portal/login', { email, password: PASSWORD });
  return client;
}

/** The path of the link in the mail of a new invitation. */
async function invite(email = ADA): Promise<string> {
  const sender = { team, by: null, locale: 'en' };
  await test.portal.services.teams.invitations.invite(sender, { email, role: 'developer' });
  const [mail] = await box.take(test, email);
  return `/portal/teams/invitation/${tokenOf(mail)}`;
}

describe('the pages of teams', () => {
  it('are no part of a dashboard without a team or an invitation', async () => {
    const page = await signIn(ADA);
    expect((await page.get('/portal/dashboard')).html).not.toContain('/portal/teams');
    expect((await page.get('/portal/teams')).html).toContain('No teams yet');
  });

  it('lead from the link of the mail into the team, and out of it again', async () => {
    const link = await invite();
    const page = await signIn(ADA);
    expect((await page.get(link)).html).toContain(`You are invited to ${team.name}.`);
    expect((await page.get('/portal/dashboard')).html).toContain('href="/portal/teams"');
    const [, accept = ''] = /action="([^"]*\/accept)"/.exec((await page.get(link)).html) ?? [];
    expect((await page.submit(link, {}, { action: accept })).html).toContain('You have joined the team.');
    const own = await page.get(`/portal/teams/${team.id}`);
    expect([own.status, own.html.includes('owner@example.com')]).toEqual([200, true]);
    expect((await page.get(link)).status).toBe(404);
    const left = await page.submit(`/portal/teams/${team.id}`, {}, { action: `/portal/teams/${team.id}/leave` });
    expect(left.html).toContain('You have left the team.');
    expect((await page.get(`/portal/teams/${team.id}`)).status).toBe(404);
  });

  it('say the same of an invitation to somebody else and of one that never was', async () => {
    await createUser(test, { email: 'eve@example.com', emailVerifiedAt: test.clock.now() });
    const [link, eve] = [await invite(), await signIn('eve@example.com')];
    const [theirs, nobodys] = [await eve.get(link), await eve.get(`/portal/teams/invitation/${'x'.repeat(43)}`)];
    expect([theirs.status, nobodys.status]).toEqual([404, 404]);
    const main = (html: string) => /<main[^]*<\/main>/.exec(html)?.[0];
    expect(main(theirs.html)).toBe(main(nobodys.html));
  });

  it('tell the last owner why the team cannot be left', async () => {
    const page = await signIn('owner@example.com');
    const place = `/portal/teams/${team.id}`;
    const refused = await page.submit(place, {}, { action: `${place}/leave` });
    expect([refused.status, refused.html.includes('The team needs an owner.')]).toEqual([409, true]);
  });
});
