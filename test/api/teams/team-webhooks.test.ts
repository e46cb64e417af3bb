import { fullName } from '../../../src/domain/accounts/index.js';
import { GatewayUnavailableError } from '../../../src/gateway/index.js';
import { readKeyAccess } from '../../support/apps.js';
import { createPlan, createProduct } from '../../support/factories.js';
import { Mailbox } from '../../support/mailbox.js';
import { createPerson, createTeam, type Person } from '../../support/teams.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { createWebhook } from '../../support/webhooks.js';
import type { TeamRecord } from '../../../src/domain/teams/index.js';
import { SHIPPED_ROLES } from '../../../src/domain/teams/roles.js';

const ROLES = ['owner', 'manager', 'developer', 'viewer'] as const;
type Role = (typeof ROLES)[number];

const box = new Mailbox();
let test: TestPortal;
const people = {} as Record<Role | 'stranger', Person>;
/** Two teams, each with an app of the same name. */
let team: TeamRecord;
let other: TeamRecord;

const appsOf = ({ id }: TeamRecord) => `/me/teams/${id}/apps`;

beforeAll(async () => {
  test = await startTestPortal({
    extensions: { mailer: () => box },
    config: { portalApi: { accessTtl: '2h' }, outbound: { allow: ['127.0.0.1'] } },
    replicas: 1,
  });
  await createProduct(test, { slug: 'payments' });
  for (const role of [...ROLES, 'stranger'] as const) people[role] = await createPerson(test, { firstName: role });
  const members = ROLES.slice(1).map((role) => [people[role].user, role] as const);
  [team, other] = [
    await createTeam(test, people.owner.user, members),
    await createTeam(test, people.owner.user, members),
  ];
  for (const whose of [team, other])
    await people.owner.call('POST', appsOf(whose), { name: 'checkout', products: ['payments'] });
});
afterAll(() => test.stop());

/** Who was mailed what since the last time, by role or address. */
async function told(): Promise<string[]> {
  await test.portal.background.flush();
  await test.portal.jobs.run('mail');
  const roleOf = (to: string) => ROLES.find((role) => people[role].user.email === to) ?? to;
  return box.mails.splice(0).map(({ to, subject }) => `${roleOf(to)}: ${subject}`);
}

describe('webhooks of a team', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterAll(() => receiver.stop());
  beforeEach(async () => {
    receiver.received.length = 0;
    await test.portal.database.execute('DELETE FROM portal_webhook_endpoints');
  });
  const deliver = async () => {
    await test.portal.jobs.run('webhooks');
    await test.portal.services.webhooks.dispatcher.idle();
  };

  const one = '/webhooks/:hook';
  const since = '2026-01-01T00:00Z';
  const routes: readonly [string, string, unknown?][] = [
    ['GET', '/webhook-events'],
    ['GET', '/webhooks'],
    ['POST', '/webhooks', { url: 'https://example.com/hook', events: ['app.*'] }],
    ['GET', one],
    ['PUT', one, { description: 'Ours' }],
    ['POST', `${one}/verify`],
    ['POST', `${one}/rotate`, {}],
    ['POST', `${one}/test`, { type: 'app.approved' }],
    ['POST', `${one}/recover`, { since }],
    ['POST', `${one}/replay`, { since }],
    ['GET', `${one}/deliveries`],
    ['GET', `${one}/deliveries/:delivery`],
    ['POST', `${one}/deliveries/:delivery/resend`],
    ['DELETE', one],
  ];
  const cells = routes.flatMap(([method, path, body]) =>
    [...ROLES, 'stranger' as const].map((role) => ({ method, path, body, role })),
  );

  it.each(cells)('$role: $method $path takes webhooks.manage', async ({ method, path, body, role }) => {
    const { id, delivery } = await createWebhook(test, receiver.url, team.accountId);
    const foreign = await createWebhook(test, receiver.url, other.accountId);
    const may = role !== 'stranger' && SHIPPED_ROLES[role]?.includes('webhooks.manage');
    const send = (hook: number, message = delivery) =>
      people[role].call(
        method,
        `/me/teams/${team.id}${path}`.replace(':hook', String(hook)).replace(':delivery', String(message)),
        body,
      );
    // What is of the other team is not there, for who may manage those of this one.
    const denied = role === 'stranger' ? 404 : 403;
    if (path.startsWith(one)) expect((await send(foreign.id)).status).toBe(may ? 404 : denied);
    if (path.includes(':delivery')) expect((await send(id, foreign.delivery)).status).toBe(may ? 404 : denied);
    const { status, text } = await send(id);
    if (may) expect([200, 201]).toContain(status);
    else expect([status, text.includes('whsec_')]).toEqual([denied, false]);
  });

  it('are asked for it by every route', () => {
    const declared = test.portal.routes.filter(({ path }) => path.startsWith('/me/teams/:team/webhook'));
    expect(declared).toHaveLength(routes.length);
  });

  it('tell of its apps alone, and where a member finds them', async () => {
    const seen: Record<string, string> = {};
    const hooks = { team: team.accountId, other: other.accountId, own: people.owner.user.id };
    for (const [name, owner] of Object.entries(hooks)) {
      const hook = await createWebhook(test, `${receiver.url}/${name}`, owner);
      seen[name] = String(hook.id);
    }
    await people.developer.call('PUT', `${appsOf(team)}/checkout`, { description: 'Told.' });
    await deliver();
    const [got, ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(JSON.parse(got?.body ?? '{}')).toMatchObject({
      type: 'app.updated',
      data: { owner_id: team.accountId, url: expect.stringMatching(`/api/v1/me/teams/${team.id}/apps/checkout$`) },
    });
    const { url } = (JSON.parse(got?.body ?? '{}') as { data: { url: string } }).data;
    expect((await people.viewer.call('GET', new URL(url).pathname.replace('/api/v1', ''))).status).toBe(200);
    const kept = await people.manager.call('GET', `/me/teams/${team.id}/webhooks/${seen.team}/deliveries`);
    expect(kept.json.data).toContainEqual(expect.objectContaining({ type: 'app.updated', state: 'sent' }));
    expect((await people.owner.call('GET', '/me/webhooks')).json.data).toHaveLength(1);
  });

  it('mail who may manage them and has not muted it when one is turned off', async () => {
    await createWebhook(test, receiver.url, team.accountId);
    await told();
    await people.manager.call('PUT', `/me/teams/${team.id}/notices`, { muted: ['webhooks'] });
    receiver.answer = { status: 410 };
    await people.developer.call('PUT', `${appsOf(team)}/checkout`, { description: 'Gone.' });
    await deliver();
    expect(await told()).toEqual([expect.stringMatching(/^owner: /)]);
    receiver.answer = { status: 200 };
    const log = await people.owner.call('GET', `/me/teams/${team.id}/activities`);
    expect(log.json.data).toContainEqual(expect.objectContaining({ action: 'webhook.disabled' }));
    await people.manager.call('PUT', `/me/teams/${team.id}/notices`, { muted: [] });
  });
});

describe('webhooks of somebody who goes', () => {
  let leaver: Person;
  let place: string;
  beforeEach(async () => {
    await test.portal.database.execute('DELETE FROM portal_webhook_endpoints');
    leaver = await createPerson(test, { firstName: 'Leaver' });
    await test.portal.services.teams.members.put(team, leaver.user, 'manager');
    place = `/me/teams/${team.id}/members/${leaver.user.id}`;
  });
  afterEach(() => test.portal.services.teams.members.remove(team, leaver.user.id, null).catch(() => undefined));

  const hooks = () => `/me/teams/${team.id}/webhooks`;
  const make = async (by: Person, host: string): Promise<number> => {
    const input = { url: `https://${host}/in?key=secret`, events: ['app.*'] };
    return (await by.call('POST', hooks(), input)).json.data.id as number;
  };
  const exposed = async () => (await people.owner.call('GET', `/me/teams/${team.id}/exposed-webhooks`)).json.data;
  const stateOf = async (id: number) => (await people.owner.call('GET', `${hooks()}/${id}`)).json.data;

  it('are listed for those who manage members, replaced or turned off in the act, and mailed', async () => {
    const [theirs, ours] = [await make(leaver, 'leaver.example.com'), await make(people.owner, 'ours.example.com')];
    await make(people.owner, 'untouched.example.com');
    await leaver.call('POST', `${hooks()}/${ours}/rotate`, {});
    const listed = await people.manager.call('GET', `${place}/webhooks`);
    const first = { id: theirs, host: 'leaver.example.com', status: 'unverified', theirs: true, secret: 'seen' };
    const second = { id: ours, host: 'ours.example.com', status: 'unverified', theirs: false, secret: 'seen' };
    expect(listed.json.data).toEqual([
      { ...first, made_by: fullName(leaver.user) },
      { ...second, made_by: fullName(people.owner.user) },
    ]);
    expect(listed.text).not.toContain('key=secret');
    for (const [who, status] of [
      [people.developer, 403],
      [people.viewer, 403],
      [people.stranger, 404],
    ] as const) {
      expect((await who.call('GET', `${place}/webhooks`)).status).toBe(status);
      expect((await who.call('GET', `/me/teams/${team.id}/exposed-webhooks`)).status).toBe(status);
    }
    expect(await exposed()).toEqual([]);
    await told();
    const act = `${place}?rotate_webhooks=true&disable_webhooks=true&overlap=3600`;
    const removed = await people.owner.call('DELETE', act);
    expect(removed.json.data).toEqual({
      webhooks: [{ id: ours, host: 'ours.example.com', secret: expect.stringMatching(/^whsec_/) }],
    });
    await test.portal.background.flush();
    await test.portal.jobs.run('mail');
    const [mail] = box.mails.filter(({ to }) => to === people.owner.user.email);
    expect(mail?.text).toContain('leaver.example.com, ours.example.com');
    expect(mail?.text).not.toContain('untouched');
    expect(await told()).toHaveLength(2);
    expect((await stateOf(theirs)).status).toBe('disabled');
    const until = new Date((await stateOf(ours)).previous_secret_until as string).getTime();
    expect(until - test.clock.now().getTime()).toBeLessThanOrEqual(3_600_000);
    expect(await exposed()).toEqual([]);
  });

  it('stay in the list until they are turned off, or have another address and another secret', async () => {
    const id = await make(leaver, 'leaver.example.com');
    await leaver.call('POST', `/me/teams/${team.id}/leave`);
    expect(await exposed()).toMatchObject([{ id, theirs: true, secret: 'seen', made_by: fullName(leaver.user) }]);
    await people.owner.call('POST', `${hooks()}/${id}/rotate`, {});
    expect(await exposed()).toMatchObject([{ id, theirs: true, secret: 'unseen' }]);
    await people.owner.call('PUT', `${hooks()}/${id}`, { url: 'https://ours.example.com/in' });
    expect(await exposed()).toEqual([]);
    // Nor does the log of the team say who gave it.
    const log = await people.owner.call('GET', `/me/teams/${team.id}/activities`);
    expect(log.text).not.toMatch(/maker|seer/i);
  });

  it('are replaced by nobody who removes themselves, and turned off before a gateway that does not answer', async () => {
    const id = await make(leaver, 'leaver.example.com');
    expect((await leaver.call('DELETE', `${place}?rotate_webhooks=true`)).status).toBe(403);
    expect((await leaver.call('GET', `/me/teams/${team.id}`)).status).toBe(200);
    const { sights } = test.portal.services.webhooks;
    const self = { userId: leaver.user.id, maySee: true };
    expect(await sights.replace(team.accountId, self, { seerId: leaver.user.id })).toEqual([]);
    const { rotation } = test.portal.services.apps;
    const away = jest.spyOn(rotation, 'rotateEach').mockRejectedValueOnce(new GatewayUnavailableError());
    const act = `${place}?rotate_keys=true&disable_webhooks=true`;
    expect((await people.owner.call('DELETE', act)).status).toBe(503);
    away.mockRestore();
    expect((await people.owner.call('GET', place)).status).toBe(404);
    expect([(await stateOf(id)).status, await exposed()]).toEqual(['disabled', []]);
  });

  it('are turned off by who leaves, where they ask for it and may manage them', async () => {
    const id = await make(leaver, 'leaver.example.com');
    const leave = `/me/teams/${team.id}/leave?disable_webhooks=true`;
    expect((await people.developer.call('POST', leave)).status).toBe(403);
    expect((await people.developer.call('GET', `/me/teams/${team.id}`)).status).toBe(200);
    expect((await leaver.call('POST', leave)).status).toBe(200);
    expect([(await stateOf(id)).status, await exposed()]).toEqual(['disabled', []]);
  });

  it('are listed without a name once their account is gone, and with none of whom nobody noted anything', async () => {
    const unnoted = await createWebhook(test, 'https://old.example.com/in', team.accountId);
    const known = async () => (await people.owner.call('GET', `${place}/webhooks`)).json.data;
    expect(await known()).toMatchObject([{ id: unnoted.id, theirs: false, secret: 'unknown', made_by: null }]);
    await people.owner.call('POST', `${hooks()}/${unnoted.id}/rotate`, {});
    expect(await known()).toEqual([]);
    const id = await make(leaver, 'leaver.example.com');
    await told();
    await test.portal.services.accounts.users.delete(leaver.user.id);
    expect(await told()).toHaveLength(2);
    expect(await exposed()).toMatchObject([{ id, theirs: true, secret: 'seen', made_by: null }]);
  });
});

describe('usage of a team', () => {
  it('is the same for each member, counts for each app by itself, and its quota is the app’s', async () => {
    const metered = `metered-${team.id}`;
    await createPlan(test, { slug: `thrice-${team.id}` }, { quotaPerDay: 3 });
    await createProduct(test, { slug: metered, plans: [`thrice-${team.id}`] });
    const [first, second] = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const made = await people.developer.call('POST', appsOf(team), { name, products: [metered] });
        return made.json.data.credentials[0].consumer_key as string;
      }),
    );
    for (let call = 0; call < 3; call += 1) expect(await readKeyAccess(test, first ?? '', metered)).toBe('open');
    expect(await readKeyAccess(test, first ?? '', metered)).not.toBe('open');
    expect(await readKeyAccess(test, second ?? '', metered)).toBe('open');
    await test.portal.jobs.run('usage-flush');
    const read = (by: Person, name: string, part: string) => by.call('GET', `${appsOf(team)}/${name}/usage${part}`);
    for (const part of ['', '/quotas', '/refusals']) {
      const [one, two] = await Promise.all([people.viewer, people.owner].map((by) => read(by, 'one', part)));
      expect([one?.status, one?.json.data]).toEqual([200, two?.json.data]);
    }
    const used = async (name: string) => (await read(people.viewer, name, '/quotas')).json.data[0].quotas[0].used;
    expect([await used('one'), await used('two')]).toEqual([3, 1]);
  });
});
