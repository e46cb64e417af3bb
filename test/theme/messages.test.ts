import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labelKeys } from '../../src/theme/index.js';
import { Dictionary, TemplateFiles, type Messages } from '../../src/templates/index.js';

/** Sentences of the domains that no form of the pages can cause: they answer programs and admins. */
const FOR_PROGRAMS = [
  /^filters\./,
  /^These credentials do not match our records\.$/,
  /^The name must have 1 to 200 characters/,
  /^Wrong /,
];
const LANGUAGES = ['en', 'ar'];

let byLocale: Map<string, Messages>;
beforeAll(async () => {
  byLocale = await readMessages(['templates']);
});

async function readMessages(folders: readonly string[]): Promise<Map<string, Messages>> {
  const dictionary = new Dictionary(new TemplateFiles(folders), 'en', true);
  return new Map(await Promise.all(LANGUAGES.map(async (code) => [code, await dictionary.messages(code)] as const)));
}

async function filesBelow(folder: string, ending: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(names.filter((name) => name.endsWith(ending)).map((name) => readFile(join(folder, name), 'utf8')));
}

/** Whether a key is said in English and in the other languages, in whichever of its plural forms. */
function missing(keys: readonly string[]): string[] {
  return LANGUAGES.flatMap((code) => {
    const own = byLocale.get(code) as Messages;
    return keys.filter((key) => !own.has(key) && !own.has(`${key}.other`)).map((key) => `${code}: ${key}`);
  });
}

const found = (texts: readonly string[], pattern: RegExp): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, key = '']) => key))),
];

describe('words of the pages', () => {
  it('are there for every key that a template names', async () => {
    const templates = [
      ...(await filesBelow('templates/theme', '.hbs')),
      ...(await filesBelow('templates/mail', '.hbs')),
    ];
    const keys = found(templates, /[{(]t "([\w.-]+)"/g);
    expect(keys.length).toBeGreaterThan(150);
    expect(missing(keys)).toEqual([]);
  });

  it('are there for every notice, title and failure that the pages lead to', async () => {
    const sources = await filesBelow('src/theme', '.ts');
    const flashes = found(sources, /(?:new Redirect\([^;]*?|backToApp\(visit),\s*'([a-z-]+)'/g);
    const titles = found(sources, /title: '([a-z.-]+)'/g);
    const templates = (await readdir('templates/theme/pages', { recursive: true }))
      .filter((name) => name.endsWith('.hbs'))
      .map((name) => name.replace(/\.hbs$/, ''));
    const failures = found(sources, /^ {2}\| '([a-z-]+)'/gm);
    expect(flashes).toEqual(expect.arrayContaining(['app-saved', 'signed-out', 'profile-saved']));
    expect(failures).toEqual(expect.arrayContaining(['missing', 'host', 'gateway']));
    expect(templates).toContain('products/show');
    expect(
      missing([
        ...flashes.map((key) => `flash.${key}`),
        ...titles,
        ...failures.flatMap((key) => ['title', 'text'].map((part) => `failure.${key}.${part}`)),
      ]),
    ).toEqual([]);
  });

  it('are there for every activity that the dashboard and the page of a team tell', async () => {
    const dashboard = await readFile('src/theme/pages/dashboard.ts', 'utf8');
    const actions = found(
      [dashboard],
      /'((?:user|session|password|password_reset|refresh_token|app|credential)\.\w+)'/g,
    );
    expect(actions.length).toBeGreaterThan(20);
    const ofTeams = await Promise.all(
      ['apps', 'teams', 'usage'].map((domain) => readFile(`src/domain/${domain}/events.ts`, 'utf8')),
    );
    const told = [...actions, ...found(ofTeams, /'([a-z_]+\.[a-z_]+)'/g)];
    expect(missing(told.map((action) => `activity.${action}`))).toEqual([]);
    expect(missing(['admin', 'operator', 'system', 'developer'].map((by) => `activity.by.${by}`))).toEqual([]);
  });

  it('are there for every reason why a call is refused, with what to do about it', async () => {
    const sources = ['src/gateway/verification.ts', 'src/domain/usage/usage.ts'];
    const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
    const reasons = found(texts, /[|=] '([a-z]+_[a-z_]+)'/g).map((reason) => reason.replaceAll('_', '-'));
    expect(reasons).toEqual(expect.arrayContaining(['missing-key', 'product-revoked']));
    expect(
      missing(reasons.flatMap((key) => ['title', 'advice'].map((part) => `usage.reasons.${key}.${part}`))),
    ).toEqual([]);
  });

  it('are there for every event that the activity log tells, those of modules included', async () => {
    const sources = await filesBelow('src', 'events.ts');
    const actions = [
      ...found(sources, /'([a-z_]+\.[a-z_]+)'/g),
      ...['user', 'admin'].flatMap((whose) => [`${whose}.login`, `${whose}.login_failed`]),
      'activities.pruned',
    ];
    expect(actions.length).toBeGreaterThan(75);
    const modules = await readdir('templates/modules');
    const all = await readMessages(['templates', ...modules.map((name) => `templates/modules/${name}`)]);
    const isSaid = (action: string) =>
      [...all.values()].every((own) => labelKeys('event', action).some((key) => own.has(key)));
    expect(actions.filter((action) => !isSaid(action))).toEqual([]);
  });

  it('are there for every sentence with which a form can be refused', async () => {
    const folders = ['src/domain/accounts', 'src/domain/apps', 'src/domain/auth', 'src/theme'];
    const sources = (await Promise.all(folders.map((folder) => filesBelow(folder, '.ts')))).flat();
    const sentences = found(sources, /(?:\[|=>)\s*['`]([A-Z][^\n]*?\.)['`]\s*[\]),]/g)
      .filter((sentence) => !FOR_PROGRAMS.some((pattern) => pattern.test(sentence)))
      .flatMap(spelled);
    expect(sentences).toEqual(expect.arrayContaining(['There is no product {text}.', 'The app is revoked.']));
    expect(missing(sentences.map((sentence) => `fault.${sentence}`))).toEqual([]);
  });
});

/** The values that a template of a sentence stands for, as the helper `fault` looks them up. */
function spelled(sentence: string): string[] {
  const pattern = sentence.replace(/\$\{JSON\.stringify\([^}]*\)\}/g, '{text}');
  if (pattern.includes('${status}')) {
    return ['pending', 'revoked', 'expired'].map((status) => pattern.replace('${status}', status));
  }
  if (pattern.includes('${what}')) {
    return [
      ...['show a key again', 'open a key that was closed', 'end a key at a chosen time; use overlap {number}'],
      'change the products of a single key',
      'hand an app over to another owner with its keys',
    ].map((what) => pattern.replace('${what}', what));
  }
  return [pattern.replace(/\$\{[^}]*\}/g, '{number}').replace(/\d+/g, '{number}')];
}
