import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeveloper, importSource, signIn, startTestPortal } from 'portalkit/testing';

/** @typedef {typeof import('../src/modules/{{name}}/index.js')} Source */

describe('the module {{camel}}', () => {
  /** @type {import('portalkit/testing').TestPortal} */
  let test;
  before(async () => {
    const source = await importSource('../src/modules/{{name}}/index.ts', import.meta.url);
    const { {{camel}} } = /** @type {Source} */ (/** @type {unknown} */ (source));
    test = await startTestPortal({ definition: { modules: [{{camel}}] }, settings: { '{{camel}}.limit': '2' } });
  });
  after(() => test?.stop());

  it('keeps what a developer notes down, for them alone and up to its limit', async () => {
    const [ada, bob] = [await createDeveloper(test), await createDeveloper(test)];
    const token = await signIn(test, ada);
    /** @param {string} body */
    const note = (body) => test.api('post', '/me/{{name}}', { token, body: { body } });
    assert.equal((await note('one')).status, 200);
    assert.deepEqual((await note('two')).body.data.map(/** @param {{ body: string }} entry */ ({ body }) => body), [
      'one',
      'two',
    ]);
    assert.equal((await note('three')).status, 409);
    assert.deepEqual((await test.api('get', '/me/{{name}}', { token: await signIn(test, bob) })).body.data, []);
  });

  it('has a page of its own', async () => {
    const response = await fetch(`${test.url}/portal/{{name}}`, { redirect: 'manual' });
    assert.equal(response.headers.get('location'), '/portal/login?return_to=%2Fportal%2F{{name}}');
  });
});
