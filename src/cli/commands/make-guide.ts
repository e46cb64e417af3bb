import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { localeTag } from '../locale.js';
import { withAnyPortal } from '../open-portal.js';
import { makeNames } from '../stub-set.js';
import { readStub } from '../stubs.js';

export const makeGuide = defineCommand({
  name: 'make:guide',
  summary: 'begin a guide as a Markdown file',
  description:
    'Writes content/guides/<name>.md, or content/products/<product>/<name>.md with --product, with front matter and the ' +
    'parts that a guide may have. With --locale it begins a translation of it. portal content:check tells what is broken.',
  example: [
    'portal make:guide quickstart',
    'portal make:guide refunds --product payments',
    'portal make:guide quickstart --locale ar',
  ],
  arguments: { name: { description: 'in words joined by hyphens; also the address' } },
  options: {
    product: { type: 'text', description: 'slug of the product that it explains' },
    locale: { type: 'text', description: 'language of the translation, such as ar' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options: { product, locale } }) {
    const names = makeNames(args.name, new Date());
    const owner = product === undefined ? null : makeNames(product, new Date()).name;
    await withAnyPortal({ cwd, ui }, async ({ config }) => {
      const tag = locale === undefined ? undefined : localeTag(locale);
      const isOwn = tag === undefined || tag === config.theme.locale;
      const folder = owner === null ? 'guides' : join('products', owner);
      const name = isOwn ? `${names.name}.md` : `${names.name}.${tag}.md`;
      const path = join(resolve(cwd, config.content.dir), folder, name);
      await writeNew(path, await readStub(isOwn ? 'make/guide.md' : 'make/guide-translation.md', names));
      const file = relative(cwd, path);
      const address = `/${config.theme.routePrefix}${owner === null ? '' : `/products/${owner}`}/guides/${names.name}`;
      if (json) return ui.json({ file, address });
      ui.success(`Wrote ${file}.`);
      ui.line(`While portal serve runs, it is at ${address}. It is a draft until you take "draft: true" out.`);
    });
  },
});

async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFailedError(`${path} exists already.`, 'choose another name', { cause: error });
  }
}
