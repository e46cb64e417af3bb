import { SettingCreatedEvent, SettingDeletedEvent, SettingUpdatedEvent } from '../../../src/domain/site/index.js';
import { DecryptionError } from '../../../src/core/index.js';
import { Admin } from '../../support/admin.js';
import { createUser } from '../../support/factories.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

let test: TestPortal;
let admin: Admin;
const events: { name: string; setting: object; changes?: object }[] = [];
beforeAll(async () => {
  test = await startTestPortal();
  const abilities = ['view', 'create', 'update', 'delete'];
  admin = await Admin.create(
    test,
    abilities.map((ability) => `portal.settings.${ability}`),
  );
  for (const type of [SettingCreatedEvent, SettingUpdatedEvent, SettingDeletedEvent]) {
    test.portal.events.on(type, (event) => {
      events.push({ name: event.constructor.name, ...event });
    });
  }
});
afterAll(() => test.stop());

const create = async (body: object) => (await admin.post('/settings', body)).json.data;

describe('settings', () => {
  it.each([
    ['string', 'Hello\nworld', 5, 'text of at most 10000 characters'],
    ['integer', -3, 3.5, 'a whole number'],
    ['float', 3.25, '3.25', 'a number'],
    ['boolean', false, 'false', 'true or false'],
    ['json', { a: [1, null, 'x'] }, 'x'.repeat(60_001), 'JSON of at most 60000 bytes'],
  ])('of type %s take such values only', async (type, good, bad, wanted) => {
    const key = `typed.${type}`;
    const setting = await create({ key, type, value: good });
    expect(setting).toMatchObject({ key, type, value: good, label: key, group: 'general', public: false });
    expect((await admin.get(`/settings/${setting.id}`)).json.data.value).toEqual(good);
    const refused = await admin.put(`/settings/${setting.id}`, { value: bad });
    expect(refused.json.errors).toEqual({ value: [`value must be ${wanted}, as type is ${type}.`] });
    expect((await admin.put(`/settings/${setting.id}`, { value: null })).json.data.value).toBeNull();
  });

  it('are found by group, type, public and key, and searched by key and label, never by value', async () => {
    await create({ key: 'look.colour', type: 'string', value: '#fff', group: 'look', public: true, label: 'Colour' });
    await create({ key: 'look.logo', type: 'string', value: '/logo.svg', group: 'look' });
    const keys = async (query: string) =>
      (await admin.get(`/settings?order_by=key&${query}`)).json.data.map(({ key }: { key: string }) => key);
    expect(await keys('filters={"group":"look"}')).toEqual(['look.colour', 'look.logo']);
    expect(await keys('filters={"group":"look","public":true}')).toEqual(['look.colour']);
    expect(await keys('filters={"key":"look.logo","type":"string"}')).toEqual(['look.logo']);
    expect(await keys('q=Colour')).toEqual(['look.colour']);
    expect(await keys('q=logo.svg')).toEqual([]);
    expect((await admin.get('/settings?order_by=value')).status).toBe(422);
    expect((await admin.get('/settings?filters={"value":"x"}')).status).toBe(422);
  });

  it('that are public are part of /config at once, the others never', async () => {
    const { id } = await create({ key: 'support.phone', type: 'string', value: '123', public: true });
    await create({ key: 'support.pin', type: 'string', value: '999' });
    const settings = async () => (await test.client.get('/api/v1/config')).json.data.settings;
    expect(await settings()).toMatchObject({ 'support.phone': '123' });
    expect(await settings()).not.toHaveProperty('support.pin');
    await admin.put(`/settings/${id}`, { public: false });
    expect(await settings()).not.toHaveProperty('support.phone');
  });

  it('have versions, keys of their own, and are deleted', async () => {
    const created = await admin.post('/settings', { key: 'one', type: 'integer', value: 1 });
    const path = `/settings/${created.json.data.id}`;
    const ifMatch = { headers: { 'if-match': created.headers.get('etag') ?? '' } };
    expect((await admin.put(path, { value: 2 }, ifMatch)).status).toBe(200);
    expect((await admin.put(path, { value: 3 }, ifMatch)).status).toBe(412);
    expect((await admin.delete(path, ifMatch)).status).toBe(412);
    const taken = { key: ['This value is already taken by another setting.'] };
    expect((await admin.post('/settings', { key: 'one', type: 'string' })).json.errors).toEqual(taken);
    expect((await admin.put(path, { key: 'typed.string' })).json.errors).toEqual(taken);
    expect((await admin.delete(path)).status).toBe(200);
    expect((await admin.get(path)).status).toBe(404);
  });

  it('need a new value with a new type', async () => {
    const { id } = await create({ key: 'retyped', type: 'string', value: 'x' });
    expect((await admin.put(`/settings/${id}`, { type: 'integer' })).json.errors).toEqual({
      value: ['A new type needs a new value.'],
    });
    expect((await admin.put(`/settings/${id}`, { type: 'integer', value: 'x' })).status).toBe(422);
    const changed = await admin.put(`/settings/${id}`, { type: 'integer', value: 4 });
    expect(changed.json.data).toMatchObject({ type: 'integer', value: 4 });
  });
});

describe('settings that the portal reads', () => {
  const BRAND = '/settings/theme.brand_color';

  it('are listed with type, default and a sentence before anybody has set one, and are public', async () => {
    const { json } = await admin.get('/settings?order_by=key&filters={"group":"theme"}');
    const told = json.data.map(({ key, type, value, public: isPublic }: Record<string, unknown>) => [
      ...[key, type, value, isPublic],
    ]);
    expect(told).toEqual([
      ['theme.brand_color', 'string', null, true],
      ['theme.logo_url', 'string', null, true],
      ['theme.name', 'string', null, true],
      ['theme.tagline', 'string', null, true],
    ]);
    expect(json.data[0]).toMatchObject({ default: '#1d4ed8', description: expect.stringMatching(/^Colour .*\.$/) });
    for (const { description } of json.data) expect(description).toMatch(/\.$/);
    expect((await test.client.get('/api/v1/config')).json.data.settings).not.toHaveProperty('theme.name');
    const own = await create({ key: 'own.setting', type: 'string' });
    expect(own).toMatchObject({ default: null, description: null });
  });

  it('are addressed by key as well as by id, like all others', async () => {
    const byKey = (await admin.get(BRAND)).json.data;
    expect(byKey.key).toBe('theme.brand_color');
    expect((await admin.get(`/settings/${byKey.id}`)).json.data).toEqual(byKey);
    const changed = await admin.put(BRAND, { value: '#0F766E' });
    expect([changed.status, changed.json.data.value]).toEqual([200, '#0F766E']);
    expect((await test.client.get('/api/v1/config')).json.data.settings).toMatchObject({
      'theme.brand_color': '#0F766E',
    });
    expect((await admin.put(BRAND, (await admin.get(BRAND)).json.data)).status).toBe(200);
    expect((await admin.put(BRAND, { value: '' })).json.data.value).toBeNull();
    await create({ key: 'by.key', type: 'integer', value: 1 });
    expect((await admin.put('/settings/by.key', { value: 2 })).json.data.value).toBe(2);
    expect((await admin.delete('/settings/by.key')).status).toBe(200);
    for (const missing of ['by.key', '0', '01', '1.0', 'BY.KEY', 'x'.repeat(101)]) {
      expect([missing, (await admin.get(`/settings/${missing}`)).status]).toEqual([missing, 404]);
    }
  });

  it.each([
    ['theme.brand_color', ['notacolor', '#fff', '#12345g', 'red;}', 5, ['#1d4ed8']]],
    [
      'theme.logo_url',
      [
        'javascript:alert(1)',
        '//evil.example/x.png',
        "/x.png'; script-src *",
        'https://a@b.example/',
        'https://a.example;b/',
      ],
    ],
    ['theme.name', ['  ', 'a\nb', 'x'.repeat(101), true]],
    ['theme.tagline', ['x'.repeat(201), 'a\u0000b', {}]],
  ])('refuse what %s cannot be', async (key, values) => {
    const before = (await admin.get(`/settings/${key}`)).json.data;
    for (const value of values) {
      const { status, json } = await admin.put(`/settings/${key}`, { value });
      expect([value, status, Object.keys(json.errors)]).toEqual([value, 422, ['value']]);
    }
    expect((await admin.get(`/settings/${key}`)).json.data).toEqual(before);
  });

  it('keep their key, their type and that they are public', async () => {
    const wrong = await admin.put('/settings/theme.name', { key: 'other.name', type: 'secret', public: false });
    expect([wrong.status, Object.keys(wrong.json.errors).sort()]).toEqual([422, ['key', 'public', 'type']]);
  });

  it('are set by creating them, once, and lose their value by being deleted', async () => {
    const body = { key: 'theme.tagline', type: 'string', value: 'Build on us' };
    const made = await admin.post('/settings', body);
    expect([made.status, made.json.data.value, made.json.data.public]).toEqual([201, 'Build on us', true]);
    expect((await admin.post('/settings', body)).json.errors).toHaveProperty('key');
    expect((await admin.delete('/settings/theme.tagline')).status).toBe(200);
    expect((await admin.get('/settings/theme.tagline')).json.data).toMatchObject({
      id: made.json.data.id,
      value: null,
    });
  });

  it('have keys that no other setting comes near', async () => {
    const refused = async (key: string) => (await admin.post('/settings', { key, type: 'string' })).json.errors;
    expect(await refused('theme.brand_colour')).toEqual({
      key: ['The portal knows no setting theme.brand_colour. Did you mean theme.brand_color?'],
    });
    expect(JSON.stringify(await refused('theme.font'))).toContain(
      'The portal knows no setting theme.font. Those there are: ',
    );
    expect(await refused('them.name')).toHaveProperty('key');
    const { id } = await create({ key: 'hosts.own', type: 'string' });
    expect((await admin.put(`/settings/${id}`, { key: 'theme.own' })).json.errors).toHaveProperty('key');
    expect((await admin.put(`/settings/${id}`, { is_public: true })).json.errors).toEqual({
      is_public: ['There is no field is_public. Did you mean public?'],
    });
  });
});

describe('a secret setting (S71)', () => {
  it('is masked in every answer and event, and encrypted where it lies', async () => {
    events.length = 0;
    const answers = [await admin.post('/settings', { key: 'secret.one', type: 'secret', value: SECRET })];
    const { id } = answers[0]?.json.data;
    expect(answers[0]?.json.data.value).toBe('********');
    answers.push(await admin.get(`/settings/${id}`), await admin.get('/settings?q=secret.one'));
    answers.push(await admin.put(`/settings/${id}`, { value: `${SECRET}2` }));
    answers.push(await admin.put(`/settings/${id}`, { value: '********', label: 'The mask keeps it' }));
    expect(await test.portal.services.site.settings.valueOf('secret.one')).toBe(`${SECRET}2`);
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    expect(JSON.stringify(events)).not.toContain(SECRET);
    expect(events.map(({ name, changes }) => [name, changes])).toEqual([
      ['SettingCreatedEvent', undefined],
      ['SettingUpdatedEvent', { value: ['********', '********'] }],
      ['SettingUpdatedEvent', { label: ['secret.one', 'The mask keeps it'] }],
    ]);
    const [row] = await test.portal.database.select<{ value: string }>(
      'SELECT value FROM portal_settings WHERE id = ?',
      [id],
    );
    expect(row?.value).toMatch(/^v1\./);
    expect((await admin.put(`/settings/${id}`, { value: '' })).json.data.value).toBeNull();
    expect(await test.portal.services.site.settings.valueOf('secret.one')).toBeNull();
  });

  it('is never public, and no change of its type shows it', async () => {
    const refused = await admin.post('/settings', { key: 'secret.two', type: 'secret', value: SECRET, public: true });
    expect(refused.json.errors).toEqual({ public: ['A secret is never public.'] });
    const { id } = await create({ key: 'secret.two', type: 'secret', value: SECRET });
    expect((await admin.put(`/settings/${id}`, { public: true })).status).toBe(422);
    expect((await admin.put(`/settings/${id}`, { type: 'string' })).status).toBe(422);
    const other = await admin.put(`/settings/${id}`, { type: 'string', value: '********' });
    expect(other.json.data.value).toBe('********');
    expect((await admin.post('/settings', { key: 'secret.3', type: 'secret', value: '********' })).status).toBe(422);
    await test.portal.database.execute("UPDATE portal_settings SET is_public = ? WHERE type = 'secret'", [true]);
    expect((await test.client.get('/api/v1/config')).text).not.toContain('secret.');
  });

  it('does not open in another row', async () => {
    const one = await create({ key: 'swap.one', type: 'secret', value: SECRET });
    const two = await create({ key: 'swap.two', type: 'secret', value: 'other' });
    const { database, services } = test.portal;
    const [row] = await database.select<{ value: string }>('SELECT value FROM portal_settings WHERE id = ?', [one.id]);
    await database.execute('UPDATE portal_settings SET value = ? WHERE id = ?', [row?.value ?? '', two.id]);
    await expect(services.site.settings.valueOf('swap.two')).rejects.toThrow(DecryptionError);
    expect((await admin.put(`/settings/${two.id}`, { value: 'new' })).status).toBe(200);
    expect(await services.site.settings.valueOf('swap.two')).toBe('new');
  });
});

describe('settings named like the configuration', () => {
  it('have no effect on it (S61)', async () => {
    const names: [string, unknown][] = [
      ['portal_api.rbac.enabled', false],
      ['portalapi.rbac.enabled', false],
      ['rbac.enabled', false],
      ['portal_api_rbac_enabled', false],
      ['portal_api.use_policies', false],
      ['use_policies', false],
      ['apps.self_approval', true],
      ['accounts.registration', false],
      ['portal_api.access_ttl', 1],
    ];
    for (const [key, value] of names) {
      const type = typeof value === 'boolean' ? 'boolean' : 'integer';
      expect((await admin.post('/settings', { key, type, value, public: true })).status).toBe(201);
    }
    const later = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    for (const { client } of [test, later]) {
      const weak = await Admin.create(test, []);
      const call = { token: weak.token };
      expect((await client.get('/api/v1/admin/settings', call)).status).toBe(403);
      expect((await client.get('/api/v1/admin/users', call)).status).toBe(403);
      const consumer = { token: await signIn(test, await createUser(test)) };
      expect((await client.get('/api/v1/admin/settings', consumer)).status).toBe(401);
      expect((await client.get('/api/v1/config')).json.data.features.registration).toBe(true);
      expect((await client.get('/api/v1/me', consumer)).status).toBe(200);
    }
    expect(later.portal.config.apps.selfApproval).toBe(false);
    await later.stop();
  });
});
