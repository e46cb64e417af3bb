import { createUser } from '../support/factories.js';
import { signIn } from '../support/sign-in.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

const ME = '/api/v1/me';

let test: TestPortal;
let token: string;
beforeAll(async () => {
  test = await startTestPortal();
  token = await signIn(test, await createUser(test));
});
afterAll(() => test.stop());

const etag = async () => (await test.client.get(ME, { token })).headers.get('etag') ?? '';
const put = (first_name: string, ifMatch?: string) =>
  test.client.put(ME, { first_name }, { token, ...(ifMatch && { headers: { 'if-match': ifMatch } }) });

describe('If-Match', () => {
  it('lets a change pass that was based on the present state, and answers with the next one', async () => {
    const before = await etag();
    expect(before).toMatch(/^"[0-9a-z]+"$/);
    const answer = await put('Hedy', before);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).not.toBe(before);
    expect(answer.headers.get('etag')).toBe(await etag());
  });

  it('refuses a change that was based on an older state, though the clock stood still', async () => {
    const old = await etag();
    await put('Grace', old);
    const { status, json } = await put('Joan', old);
    expect([status, json.message]).toEqual([412, 'Precondition failed.']);
    expect((await test.client.get(ME, { token })).json.data).toMatchObject({ first_name: 'Grace' });
  });

  it('of two changes at once lets one pass', async () => {
    const state = await etag();
    const answers = await Promise.all([put('Betty', state), put('Kay', state)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each(['W/"abc"', '"abc", "def"', 'abc', '"ABC"', '""'])('matches nothing with %s', async (header) => {
    expect((await put('Ruth', header)).status).toBe(412);
  });

  it('may be left out, or be *', async () => {
    expect((await put('Ruth')).status).toBe(200);
    expect((await put('Jean', '*')).status).toBe(200);
  });
});
