import { AuthFlow, type RegistrationCandidate } from '../../../src/index.js';
import { createUser, PASSWORD } from '../../support/factories.js';
import { PageClient } from '../../support/page-client.js';
import { startTestPortal, type TestPortal, type TestPortalOptions } from '../../support/test-portal.js';
import { signIn } from '../../support/sign-in.js';

const SENTENCE = 'Please use an e-mail address of "acme.example".';

class ColleaguesOnly extends AuthFlow {
  static readonly asked: RegistrationCandidate[] = [];

  override async mayRegister(candidate: RegistrationCandidate) {
    ColleaguesOnly.asked.push(candidate);
    return candidate.email.endsWith('@acme.example') || SENTENCE;
  }
}

const input = (email: string) => ({
  ...{ first_name: 'Ada', last_name: 'Lovelace', email },
  ...{ password: PASSWORD, password_confirmation: PASSWORD },
});

describe('a rule of the host about who may register', () => {
  let test: TestPortal;
  const start = async (config: TestPortalOptions['config'] = {}) => {
    ColleaguesOnly.asked.length = 0;
    const authFlow = (parts: ConstructorParameters<typeof AuthFlow>[0]) => new ColleaguesOnly(parts);
    test = await startTestPortal({ config, extensions: { authFlow } });
  };
  afterEach(() => test.stop());

  const register = (email: string) => test.client.post('/api/v1/auth/register', input(email));
  const stored = async () => {
    const tables = ['portal_users', 'portal_mails', 'portal_account_links'];
    const counts = tables.map((table) =>
      test.portal.database.select<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`),
    );
    return (await Promise.all(counts)).map(([row]) => Number(row?.n));
  };

  it.each([[false], [true]])(
    'refuses at the e-mail field and stores nothing, with verifyEmail %s',
    async (verifyEmail) => {
      await start({ accounts: { verifyEmail } });
      const refused = await register('ada@elsewhere.example');
      expect([refused.status, refused.json.errors]).toEqual([422, { email: [SENTENCE] }]);
      await test.portal.background.flush();
      expect(await stored()).toEqual([0, 0, 0]);
      expect((await register('ada@acme.example')).status).toBe(verifyEmail ? 202 : 201);
    },
  );

  it('asks with the address as it would be stored', async () => {
    await start();
    await register(' Ada@ACME.example ');
    expect(ColleaguesOnly.asked).toEqual([{ email: 'ada@acme.example', firstName: 'Ada', lastName: 'Lovelace' }]);
  });

  it('refuses a taken address like a free one', async () => {
    await start({ accounts: { verifyEmail: true } });
    await createUser(test, { email: 'taken@elsewhere.example' });
    const [taken, free] = [await register('taken@elsewhere.example'), await register('free@elsewhere.example')];
    expect([taken.status, taken.json.errors]).toEqual([free.status, free.json.errors]);
  });

  it('stands at the e-mail field of the page', async () => {
    await start();
    const page = new PageClient(test.client);
    const { status, html } = await page.submit('/portal/register', input('ada@elsewhere.example'));
    expect(status).toBe(422);
    expect(html).toMatch(/name="email"[^]*?Please use an e-mail address of acme\.example\.[^]*?name="password"/);
    expect(await stored()).toEqual([0, 0, 0]);
    const arabic = await page.submit('/portal/register', input('ada@elsewhere.example'), {
      headers: { 'accept-language': 'ar' },
    });
    expect(arabic.html).toContain('acme.example');
    expect(arabic.html).not.toContain('Please use');
  });

  it('holds for the address that a developer changes to', async () => {
    await start();
    const token = await signIn(test, await createUser(test, { email: 'ada@acme.example' }));
    const refused = await test.client.put(
      '/api/v1/me',
      { email: 'ada@elsewhere.example', first_name: 'Adele' },
      { token },
    );
    expect([refused.status, refused.json.errors]).toEqual([422, { email: [SENTENCE] }]);
    const me = await test.client.get('/api/v1/me', { token });
    expect(me.json.data).toMatchObject({ email: 'ada@acme.example', first_name: 'Ada', pending_email: null });
    const taken = await test.client.put('/api/v1/me', { email: 'grace@acme.example' }, { token });
    expect(taken.status).toBe(202);
  });
});

describe('a rule that answers with something else than yes', () => {
  it.each([[false], [undefined], ['']])('%p is a no, with the sentence of the portal', async (answer) => {
    class Vague extends AuthFlow {
      override mayRegister() {
        return Promise.resolve(answer as never);
      }
    }
    const test = await startTestPortal({ extensions: { authFlow: (parts) => new Vague(parts) } });
    const refused = await test.client.post('/api/v1/auth/register', input('ada@example.com'));
    await test.stop();
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      { email: ['Registration is not open to this e-mail address.'] },
    ]);
  });
});
