import { defineCommand } from '../command.js';
import { EXIT } from '../errors.js';
import { withAnyPortal, withPortal } from '../open-portal.js';

export const contentCheck = defineCommand({
  name: 'content:check',
  summary: 'find what is broken in guides and news',
  description:
    'Reads the files of content.dir and names, with file and line: front matter that is wrong, links to guides and ' +
    'headings that do not exist, containers that there are not, products and operations that do not exist, and guides ' +
    'that lack a language into which others are translated. Exits with 1 when there is something to mend. With --files ' +
    'it needs no database, and leaves products, operations and guides of the console out.',
  example: ['portal content:check', 'portal content:check --files', 'portal content:check --json'],
  options: { files: { type: 'flag', description: 'look at the files alone, without a database' } },
  reports: true,
  async run({ cwd, ui, json, options: { files } }) {
    const open = files ? withAnyPortal : withPortal;
    const { guides, problems } = await open({ cwd, ui }, ({ services }) => services.content.check.run(!files));
    if (json) ui.json({ guides, problems });
    else {
      for (const { file, line, message } of problems) ui.line(`${file}:${line}: ${message}`);
      const count = guides === 1 ? '1 guide' : `${guides} guides`;
      if (problems.length === 0) ui.success(`Nothing is broken in ${count}.`);
      else ui.note(`${problems.length === 1 ? '1 problem' : `${problems.length} problems`} in ${count}.`);
    }
    return problems.length === 0 ? EXIT.ok : EXIT.failed;
  },
});
