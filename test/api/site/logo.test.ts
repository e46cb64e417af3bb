import { AdminClient } from '../../support/admin-client.js';
import { createAdmin, createProduct, createRole } from '../../support/factories.js';
import { fileForm, GIF, PNG } from '../../support/forms.js';
import { signIn } from '../../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let admin: AdminClient;
beforeAll(async () => {
  test = await startTestPortal({ config: { catalog: { maxImageBytes: 4096 } } });
  admin = await AdminClient.create(test);
});
afterAll(() => test.stop());

const upload = (bytes: Buffer | string, field = 'logo') => admin.send('PUT', '/logo', fileForm(field, bytes));
const statusOf = async (path: string) => (await test.client.get(path)).status;
const count = async () => {
  const [row] = await test.portal.database.select<{ n: number }>('SELECT COUNT(*) AS n FROM portal_files');
  return row?.n;
};

describe('PUT /admin/logo', () => {
  it('keeps the picture and points theme.logo_url at it, where visitors see it', async () => {
    const { status, json } = await upload(PNG);
    expect([status, json.data.key]).toEqual([200, 'theme.logo_url']);
    expect(json.data.value).toMatch(/^\/api\/v1\/files\/[0-9a-f]{64}\.png$/);
    const served = await test.client.get(json.data.value);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    const config = await test.client.get('/api/v1/config');
    expect(config.json.data.settings['theme.logo_url']).toBe(json.data.value);
    const again = await upload(PNG);
    expect(again.json.data).toEqual(json.data);
    expect(await count()).toBe(1);
  });

  it('drops the file of the logo before, unless something else shows it', async () => {
    const first = (await upload(PNG)).json.data.value;
    const { id } = await createProduct(test);
    await test.portal.services.catalog.products.setThumbnail(id, PNG);
    const second = (await upload(GIF)).json.data.value;
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await test.portal.services.catalog.products.setThumbnail(id, null);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
  });

  it('is not lost with a product that shows the same picture, nor with another label', async () => {
    const { value, id: setting } = (await upload(PNG)).json.data;
    const { id } = await createProduct(test);
    await test.portal.services.catalog.products.setThumbnail(id, PNG);
    await test.portal.services.catalog.products.setThumbnail(id, null);
    expect(await statusOf(value)).toBe(200);
    const { status } = await admin.send('PUT', `/settings/${setting}`, { body: { label: 'Our logo' } });
    expect([status, await statusOf(value)]).toEqual([200, 200]);
    await admin.send('PUT', `/settings/${setting}`, { body: { value: 'https://assets.example.com/logo.png' } });
    expect(await statusOf(value)).toBe(404);
  });

  it('refuses what is no picture, whatever it calls itself, and what is too large (S68)', async () => {
    const svg = await upload('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect([svg.status, svg.json.errors]).toEqual([422, { logo: ['logo must be a PNG, JPEG, WebP or GIF image.'] }]);
    expect((await upload(PNG, 'thumbnail')).status).toBe(422);
    expect((await upload(Buffer.concat([PNG, Buffer.alloc(5000)]))).status).toBe(413);
    expect((await admin.send('PUT', '/logo', { body: { logo: 'x' } })).status).toBe(415);
  });

  it('asks for portal.settings.update', async () => {
    const role = await createRole(test, ['portal.admin.access', 'portal.settings.view']);
    const token = await signIn(test, await createAdmin(test, { roles: [role] }));
    expect((await test.client.send('PUT', '/api/v1/admin/logo', { token, ...fileForm('logo', PNG) })).status).toBe(403);
    expect((await test.client.delete('/api/v1/admin/logo', { token })).status).toBe(403);
  });
});

describe('DELETE /admin/logo', () => {
  it('takes logo and file away, and is recorded as a change of the setting', async () => {
    const { value } = (await upload(GIF)).json.data;
    const { status, json } = await admin.send('DELETE', '/logo');
    expect([status, json.data.value, await statusOf(value)]).toEqual([200, null, 404]);
    const { json: log } = await admin.get('/activities?per_page=1');
    expect(log.data).toMatchObject([
      { action: 'setting.updated', subject: { label: 'theme.logo_url' }, changes: { value: [value, null] } },
    ]);
    expect((await admin.send('DELETE', '/logo')).status).toBe(200);
  });
});
