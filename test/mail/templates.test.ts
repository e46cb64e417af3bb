import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from '../../src/core/manifest.js';
import { MailTemplates, type MailDraft } from '../../src/mail/index.js';

const SHIPPED = join(packageFolder(), 'templates');
const MAILS = readdirSync(join(SHIPPED, 'mail'))
  .filter((file) => file.endsWith('.txt.hbs'))
  .map((file) => file.replace('.txt.hbs', ''));

let published: string;
beforeEach(async () => {
  published = await mkdtemp(join(tmpdir(), 'portal-mails-'));
});
afterEach(() => rm(published, { recursive: true, force: true }));

const templates = () =>
  new MailTemplates({
    folders: [published, SHIPPED],
    defaultLocale: 'en',
    portalName: 'Acme <APIs>',
    portalUrl: () => 'https://portal.example',
    keep: false,
  });
const draft = (template: string, changes: Partial<MailDraft> = {}): MailDraft => ({
  template,
  to: 'ada@example.com',
  locale: 'en',
  name: 'Ada',
  values: {
    url: 'https://portal.example/portal/x',
    minutes: 30,
    email: 'new@example.com',
    app: 'Weather',
    key: 'abcd••••wxyz',
    product: 'payments',
    date: '1 Jun 2026',
    count: 3,
    developers: 2,
    apps: 1,
    api: 'https://portal.example/api/v1/admin',
    reason: 'Too many calls',
    products: 'Tides',
    more: 1,
    unsubscribe: 'https://portal.example/unsubscribe/x',
    profile: 'https://portal.example/portal/profile',
  },
  sections: [
    { title: 'Tides', url: '/tides', lines: [{ kind: 'fix', title: 'A slip', date: '1 Jun', apps: 'shop', url: '/' }] },
  ],
  ...changes,
});

describe('mail templates', () => {
  it.each(
    MAILS.flatMap((mail) => [
      [mail, 'en'],
      [mail, 'ar'],
    ]),
  )('%s is complete in %s', async (mail, locale) => {
    const { subject, text, html } = await templates().write(draft(mail, { locale }));
    for (const part of [subject, text, html]) {
      expect(part).not.toMatch(/mail\.[a-z-]+/);
      expect(part).not.toMatch(/[{}]/);
    }
    expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`);
  });

  it('escapes what people typed in the page and not in the text', async () => {
    const values = { app: '<img src=x>', url: 'https://portal.example', reason: null };
    const { subject, text, html } = await templates().write(draft('app-revoked', { values, name: '<b>Ada</b>' }));
    expect(html).not.toMatch(/<img|<b>Ada/);
    expect(text).toContain('Hello <b>Ada</b>,');
    expect(subject).toBe('Your app <img src=x> was revoked');
  });

  it('keeps a subject on one line', async () => {
    const values = { app: 'A\r\nBcc: eve@example.com', url: '', reason: null };
    const { subject } = await templates().write(draft('app-approved', { values }));
    expect(subject).toBe('Your app A Bcc: eve@example.com was approved');
  });

  it('never takes words for a template (S67)', async () => {
    const values = { app: '{{constructor.constructor "return process"}}', url: '', reason: null };
    const { text } = await templates().write(draft('app-approved', { values }));
    expect(text).toContain('{{constructor.constructor "return process"}}');
  });

  it('takes the files that a host published, and single words', async () => {
    await mkdir(join(published, 'mail'));
    await mkdir(join(published, 'lang'));
    await writeFile(join(published, 'mail/password-reset.txt.hbs'), 'Our own text: {{url}}');
    await writeFile(
      join(published, 'lang/en.json'),
      '{"mail":{"password-reset":{"subject":"New password at {portal}"}}}',
    );
    const { subject, text, html } = await templates().write(draft('password-reset'));
    expect(subject).toBe('New password at Acme <APIs>');
    expect(text).toBe('Our own text: https://portal.example/portal/x');
    expect(html).toContain('Choose a new password');
  });
});

describe('words', () => {
  const keys = (tree: object, prefix = ''): string[] =>
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string' ? [prefix + key] : keys(value as object, `${prefix}${key}.`),
    );
  const messages = (locale: string) => JSON.parse(readFileSync(join(SHIPPED, `lang/${locale}.json`), 'utf8')) as object;
  // Languages have different plural forms.
  const plain = (all: string[]) =>
    [...new Set(all.map((key) => key.replace(/\.(zero|one|two|few|many|other)$/, '')))].sort();

  it('are there in every language', () => {
    expect(plain(keys(messages('ar')))).toEqual(plain(keys(messages('en'))));
  });
});
