import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAdmin, createProduct, importSource, openConsole, startTestPortal } from 'portalkit/testing';

/** @typedef {typeof import('../src/admin/{{name}}.js')} Source */

describe('/admin/{{name}}', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    const source = await importSource('../src/admin/{{name}}.ts', import.meta.url);
    const { {{camel}}AdminRoutes, {{camel}}Page } = /** @type {Source} */ (/** @type {unknown} */ (source));
    /** @type {import('portalkit').PortalDefinition} */
    const definition = { routes: () => {{camel}}AdminRoutes, adminResources: () => [{{camel}}Page] };
    test = await startTestPortal({ definition });
  });
  after(() => test?.stop());

  it('lists and shows what the operations answer', async () => {
    const { id, name } = await createProduct(test, { shortDescription: 'Money in motion.' });
    const admin = await openConsole(test, await createAdmin(test, { roles: ['super_admin'] }));
    const { status, html } = await admin('/{{name}}');
    assert.equal(status, 200);
    assert.ok(html.includes('{{Title}}') && html.includes(name));
    assert.equal((await admin(`/{{name}}/${id}`)).status, 200);
    assert.equal((await admin('/{{name}}/0')).status, 404);
  });

  it('is nothing for an admin without the permission', async () => {
    const admin = await openConsole(test, await createAdmin(test));
    assert.equal((await admin('/{{name}}')).status, 403);
    assert.ok(!(await admin('/')).html.includes('{{Title}}'));
  });
});
