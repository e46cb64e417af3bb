import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findNamedCommand } from '../../src/cli/program.js';
import { THEME_HELPERS } from '../../src/theme/layout/template-helpers.js';
import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';

interface Step {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const ENV = { ...SECRETS, APP_ENV: 'development', DATABASE_URL: 'sqlite:storage/portal.sqlite' };
const DOCUMENT = await readFile('docs/theming.md', 'utf8');
const steps: Step[] = [...DOCUMENT.matchAll(/^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$/gms)].map(
  ([, language = '', file, text = '']) => ({ language, file, text }),
);

describe('docs/theming.md', () => {
  let cwd: string;
  let serving: ServingPortal;
  const printed: string[] = [];
  const page = async (path: string, language = 'en') =>
    (await fetch(serving.url + path, { headers: { accept: 'text/html', 'accept-language': language } })).text();

  beforeAll(async () => {
    cwd = await folderWith({ 'portal.config.ts': 'export default {};\n', 'package.json': '{"type":"module"}' });
    for (const step of steps) await follow(step);
    for (const command of ['migrate', 'demo:seed']) await run([command]);
    serving = await servePortal([], { cwd, env: ENV });
    await serving.printed('Ready');
  });
  afterAll(() => serving.stop());

  async function run(args: readonly string[]): Promise<void> {
    const { exitCode, stdout, stderr } = await portal(args, { cwd, env: ENV });
    if (exitCode !== 0) throw new Error(`portal ${args.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`);
    printed.push(stdout);
  }

  async function follow({ language, file, text }: Step): Promise<void> {
    if (language !== 'sh') {
      if (file === undefined) throw new Error(`a block of ${language} does not say which file it is`);
      await mkdir(dirname(join(cwd, file)), { recursive: true });
      return writeFile(join(cwd, file), text);
    }
    for (const line of text.trim().split('\n')) {
      const [npx, name, ...args] = line.split(' ');
      expect([npx, name, findNamedCommand(args)]).toEqual(['npx', 'portal', expect.stringMatching(/^theme:/)]);
      await run(args);
    }
  }

  it('changes the hero and the words', async () => {
    const html = await page('/portal');
    expect(html).toContain('<h1>Banking, by request</h1>');
    expect(html).toContain('Accounts, cards and payments of Acme Developers, for the software that you write.');
    expect(html).toMatch(/<a class="button" href="\/portal\/support">Call us<\/a>/);
  });

  it('restyles by tokens, after the sheet of the package', async () => {
    const html = await page('/portal');
    const [sheet = ''] = /\/portal\/assets\/custom\.css[^"]*/.exec(html) ?? [];
    expect(html.indexOf('portal.css')).toBeLessThan(html.indexOf('custom.css'));
    expect(await page(sheet)).toContain('--radius: 0.125rem');
  });

  it('restyles the card, with a partial of its own', async () => {
    const html = await page('/portal/products');
    expect(html).toMatch(/<article class="card card-link">\s*<h3><a href="\/portal\/products\/[\w-]+">/);
    expect(html).toMatch(/<p class=['"]product-price['"]>Free of charge<\/p>/);
    expect(html).not.toContain('class="thumb"');
  });

  it('adds a page', async () => {
    const html = await page('/portal/support');
    expect(html).toContain('<title>Support · Acme Developers</title>');
    expect(html).toContain('People answer from 9 to 17 o&#x27;clock, on weekdays.');
    expect(html).toContain('<a href="tel:+44 20 7946 0000">+44 20 7946 0000</a>');
  });

  it('shows what theme:diff says', () => {
    const diff = printed.find((text) => text.startsWith('FILE')) ?? '';
    expect(diff).toMatch(/theme\/partials\/landing\/hero\.hbs +\S+ +changed by you/);
    expect(diff).toMatch(/^\+ +<div class="code-dark hero-call"/m);
    expect(diff).toMatch(/theme\/lang\/en\.json/);
    expect(diff).not.toContain('support.hbs');
  });

  it('names every helper, partial and token that there is', async () => {
    const builtIn = ['t', 'date', 'time', 'eq', 'not', 'concat'];
    const helpers = [...Object.keys(THEME_HELPERS), ...builtIn].filter(
      (name) => !new RegExp(`[\`{]${name}[\` }]`).test(DOCUMENT),
    );
    const files = await readdir('templates/theme/partials', { recursive: true });
    const partials = files
      .filter((file) => file.endsWith('.hbs'))
      .map((file) => `theme::${file.replace('.hbs', '').replaceAll('/', '.')}`)
      .filter((name) => !DOCUMENT.includes(`\`${name}\``));
    const sheet = await readFile('templates/theme/assets/portal.css', 'utf8');
    const root = /:root \{(.*?)\n\}/s.exec(sheet)?.[1] ?? '';
    const tokens = [...root.matchAll(/^ {2}(--[\w-]+):/gm)]
      .map(([, token = '']) => token)
      .filter((token) => !DOCUMENT.includes(`\`${token}\``) && !token.startsWith('--space-'));
    expect({ helpers, partials, tokens }).toEqual({ helpers: [], partials: [], tokens: [] });
  });
});
