// Runs in the patched copy of the package: uses the new field and the new resource as people would, and prints what they met.
import { createAdmin, createProduct, signIn, startTestPortal } from './dist/testing/index.js';

const test = await startTestPortal({ definition: {} });
const tokenOf = async (role) => signIn(test, await createAdmin(test, { roles: [role] }));
const token = await tokenOf('super_admin');
const { id, slug } = await createProduct(test, { slug: 'payments' });
const page = async (path) => {
  const response = await fetch(`${test.url}/portal${path}`);
  return [response.status, await response.text()];
};
const put = (support_url) => test.api('put', `/admin/products/${id}`, { token, body: { support_url } });

const product = await put('https://example.com/help');
const refused = await put('javascript:alert(1)');
const reader = await test.api('get', `/api-products/${slug}`);
const [, productPage] = await page(`/products/${slug}`);
const body = { title: 'New sandbox', text: 'It moves on **Monday**.' };
const created = await test.api('post', '/admin/announcements', { token, body });
const changed = await test.api('put', `/admin/announcements/${created.body.data.id}`, {
  token,
  body: { title: 'New date' },
});
const forbidden = await test.api('post', '/admin/announcements', { token: await tokenOf('catalog_manager'), body });
const [status, html] = await page('/announcements');
const { body: log } = await test.api('get', '/admin/activities', { token });
const document = await (await fetch(`${test.url}/docs/openapi.json`)).json();
console.log(
  JSON.stringify({
    product: [product.status, product.body.data.support_url],
    refused: [refused.status, Object.keys(refused.body.errors)],
    reader: reader.body.data.support_url,
    productPage: productPage.includes('href="https://example.com/help"'),
    announcement: [created.status, created.body.data.title],
    changed: [changed.status, changed.body.data.title],
    forbidden: forbidden.status,
    announcementPage: [status, html.includes('<strong>Monday</strong>')],
    activities: log.data.map(({ action }) => action).filter((action) => action.startsWith('announcement.')),
    documented: JSON.stringify(document).includes('"createAnnouncement"'),
  }),
);
await test.stop();
