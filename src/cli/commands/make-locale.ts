import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { localeTag, readMessages } from '../locale.js';
import { withAnyPortal } from '../open-portal.js';

type Tree = { [key: string]: Tree | string };

export const makeLocale = defineCommand({
  name: 'make:locale',
  summary: 'begin a language, or add the words that it lacks',
  description:
    'Writes lang/<locale>.json into the folder of the views: every word that the package, the modules and the project do ' +
    'not say in this language yet, in English, to be translated in place. Words that are there stay as they are, so it is ' +
    'also what to run after an upgrade. portal lang:check tells how far the translation is. It says which line of ' +
    'portal.config.ts offers the language to visitors.',
  example: ['portal make:locale fr', 'portal make:locale pt-BR'],
  arguments: { locale: { description: 'a language tag such as fr or pt-BR' } },
  reports: true,
  async run({ cwd, ui, json, args }) {
    const locale = localeTag(args.locale);
    await withAnyPortal({ cwd, ui }, async (portal) => {
      const { viewsDir, locales } = portal.config.theme;
      const path = join(resolve(cwd, viewsDir), 'lang', `${locale.toLowerCase()}.json`);
      const { missing } = await readMessages(portal, ({ check }) => check(locale));
      if (missing.length > 0) await addMessages(path, missing);
      const file = relative(cwd, path);
      const wiring = locales.includes(locale)
        ? []
        : [`theme: { locales: [${[...locales, locale].map(quote).join(', ')}] },`];
      if (json) return ui.json({ file, added: missing.map(({ key }) => key), wiring });
      if (missing.length === 0) ui.success(`${locale} has every word already.`);
      else ui.success(`Added ${missing.length} words to ${file}, in English. Translate them there.`);
      if (wiring.length > 0) {
        ui.line();
        ui.line('To offer the language, add to portal.config.ts:');
        for (const line of wiring) ui.line(`  ${line}`);
      }
      ui.line();
      ui.line(`What is left to translate: portal lang:check ${locale}`);
    });
  },
});

async function addMessages(
  path: string,
  messages: readonly { readonly key: string; readonly source: string }[],
): Promise<void> {
  const tree = await readPresentMessages(path);
  for (const { key, source } of messages) place(tree, key.split('.'), source);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(tree, null, 2)}\n`);
}

// Already read and validated with the other files of the locale.
async function readPresentMessages(path: string): Promise<Tree> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Tree;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function place(tree: Tree, [name = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) tree[name] = text;
  else {
    const below = tree[name];
    const branch = typeof below === 'object' ? below : {};
    tree[name] = branch;
    place(branch, rest, text);
  }
}

function quote(text: string): string {
  return `'${text}'`;
}
