import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';

const config = (locales: readonly string[], more = '') =>
  `${more === '' ? '' : "import { mfa } from 'portalkit/mfa';\n"}export default { app: { env: 'development' }, theme: { locales: ${JSON.stringify(locales)} } ${more} };`;

let root: string;
beforeEach(async () => {
  root = await folderWith({ 'portal.config.ts': config(['en', 'ar']) });
});

const run = (...args: string[]) => portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: 'sqlite:none.sqlite' } });
const write = (path: string, text: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const messages = (locale: string) => JSON.parse(readFileSync(join(root, `theme/lang/${locale}.json`), 'utf8'));
interface Report {
  complete: boolean;
  locales: {
    locale: string;
    words: number;
    missing: { key: string; source: string }[];
    untranslated: { key: string }[];
    unknown_values: { key: string; values: string[] }[];
  }[];
}
const check = async (...args: string[]) => {
  const { exitCode, stdout } = await run('lang:check', ...args, '--json');
  const report = JSON.parse(stdout) as Report;
  expect(exitCode).toBe(report.complete ? 0 : 1);
  return { ...report, first: report.locales[0] };
};

describe('portal lang:check', () => {
  it('finds English and Arabic complete, every plural form of them included', async () => {
    const { complete, locales } = await check();
    expect([complete, locales.map(({ locale }) => locale)]).toEqual([true, ['en', 'ar']]);
    const [en, ar] = locales;
    expect(ar?.words).toBeGreaterThan(en?.words ?? 0);
  });

  it('lists what a language lacks, with the English words, and exits with 1', async () => {
    write('theme/lang/fr.json', JSON.stringify({ mail: { greeting: 'Bonjour {nom},', footer: 'Merci.' } }));
    const { complete, first } = await check('fr');
    expect(complete).toBe(false);
    expect(first?.missing).toContainEqual({ key: 'mail.greeting-plain', source: 'Hello,' });
    expect(first?.missing.map(({ key }) => key)).not.toContain('mail.footer');
    expect(first?.unknown_values).toEqual([{ key: 'mail.greeting', source: 'Hello {name},', values: ['nom'] }]);
    const { stdout, stderr, exitCode } = await run('lang:check', 'fr');
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^fr +\d+ +\d+ +0 +1$/m)]);
    expect(stderr).toContain('portal make:locale fr writes the missing words');
    expect(stderr).toContain('fr is not in theme.locales yet.');
  });

  it('asks for the plural forms of each language', async () => {
    const keys = async (locale: string) => (await check(locale)).first?.missing.map(({ key }) => key) ?? [];
    expect(await keys('pl')).toEqual(expect.arrayContaining(['apps.keys.one', 'apps.keys.few', 'apps.keys.many']));
    expect((await keys('ja')).filter((key) => key.startsWith('apps.keys'))).toEqual(['apps.keys.other']);
  });

  it('looks at the words of the project and of its modules, too', async () => {
    write(
      'portal.config.ts',
      config(['en', 'ar'], ', modules: [mfa]').replace(
        'portalkit/mfa',
        join(process.cwd(), 'dist/modules/mfa/index.js'),
      ),
    );
    expect((await check()).complete).toBe(true);
    write('theme/lang/en.json', JSON.stringify({ acme: { slogan: 'Banking, but nice' } }));
    const { locales } = await check();
    expect(locales.map(({ missing }) => missing)).toEqual([[], [{ key: 'acme.slogan', source: 'Banking, but nice' }]]);
  });

  it.each([
    ['{ "mail": ', /theme\/lang\/ar\.json is not JSON: /],
    ['{ "mail": { "greeting": null } }', /theme\/lang\/ar\.json: mail\.greeting must be text\./],
    ['[]', /theme\/lang\/ar\.json must be an object of words\./],
  ])('names the file that cannot be read: %s', async (text, message) => {
    write('theme/lang/ar.json', text);
    const { exitCode, stderr } = await run('lang:check');
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('knows a tag when it sees one', async () => {
    const { exitCode, stderr } = await run('lang:check', 'fr_FR!');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('"fr_FR!" is no language tag')]);
  });
});

describe('portal make:locale', () => {
  it('writes every word to translate, and says which line offers the language', async () => {
    const { stdout, exitCode } = await run('make:locale', 'fr');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("theme: { locales: ['en', 'ar', 'fr'] },")]);
    expect(messages('fr').mail.greeting).toBe('Hello {name},');
    const { first } = await check('fr');
    expect(first?.missing).toEqual([]);
    expect(first?.untranslated.length).toBeGreaterThan(300);
  });

  it('adds what is missing and leaves what was translated', async () => {
    write('theme/lang/fr.json', JSON.stringify({ mail: { greeting: 'Bonjour {name},' } }));
    const { stdout } = await run('make:locale', 'fr', '--json');
    expect(JSON.parse(stdout).added).not.toContain('mail.greeting');
    expect([messages('fr').mail.greeting, messages('fr').mail['greeting-plain']]).toEqual([
      'Bonjour {name},',
      'Hello,',
    ]);
    const before = readFileSync(join(root, 'theme/lang/fr.json'), 'utf8');
    expect((await run('make:locale', 'fr')).stdout).toContain('fr has every word already.');
    expect(readFileSync(join(root, 'theme/lang/fr.json'), 'utf8')).toBe(before);
  });

  it('is complete once every sentence was translated', async () => {
    await run('make:locale', 'pt-br');
    const translate = (tree: Record<string, unknown>): object =>
      Object.fromEntries(
        Object.entries(tree).map(([key, value]) =>
          typeof value === 'string' ? [key, `«${value}»`] : [key, translate(value as Record<string, unknown>)],
        ),
      );
    write('theme/lang/pt-br.json', JSON.stringify(translate(messages('pt-br'))));
    expect((await check('pt-BR')).complete).toBe(true);
  });
});

describe('portal doctor', () => {
  const finding = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout) as { checks: { check: string }[] };
    return checks.find(({ check: name }) => name === 'words');
  };

  it('warns of words that a language of the portal lacks', async () => {
    expect(await finding()).toMatchObject({ status: 'ok', message: 'complete in en, ar' });
    write('portal.config.ts', config(['en', 'fr']));
    expect(await finding()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/words are missing or wrong in fr \(\d+\)/),
      fix: 'portal lang:check',
    });
    write('theme/lang/fr.json', '{');
    expect(await finding()).toMatchObject({ status: 'warning', fix: 'mend the file' });
  });
});
