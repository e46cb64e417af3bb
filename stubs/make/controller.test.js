import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createProduct, importSource, startTestPortal } from 'portalkit/testing';

/** @typedef {typeof import('../src/controllers/{{name}}.js')} Source */

describe('/{{name}}', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    const source = await importSource('../src/controllers/{{name}}.ts', import.meta.url);
    const { {{camel}}Routes } = /** @type {Source} */ (/** @type {unknown} */ (source));
    /** @type {import('portalkit').PortalDefinition} */
    const definition = { routes: () => {{camel}}Routes };
    test = await startTestPortal({ definition });
  });
  after(() => test?.stop());

  it('shows what the visitor may see, in its own shape', async () => {
    const { slug, name } = await createProduct(test);
    const hidden = await createProduct(test, { visibility: 'draft' });
    const { status, body } = await test.api('get', '/{{name}}');
    assert.equal(status, 200);
    assert.deepEqual(body.data, [{ key: slug, title: name, teaser: '' }]);
    assert.deepEqual((await test.api('get', `/{{name}}/${slug}`)).body.data, body.data[0]);
    assert.equal((await test.api('get', `/{{name}}/${hidden.slug}`)).status, 404);
  });
});
