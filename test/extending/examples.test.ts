import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderWith } from '../config/support.js';
import { HostProject } from '../support/host-project.js';

/** The hosts; other folders hold files that tests of their own run. */
const folders = (await readdir('examples', { withFileTypes: true })).filter(
  (entry) => entry.isDirectory() && existsSync(join('examples', entry.name, 'portal.config.ts')),
);

describe.each(folders.map(({ name }) => name))('the example %s', (name) => {
  it('is checked by TypeScript, and its tests pass', async () => {
    const cwd = await folderWith({});
    const filter = (path: string) => !path.includes('node_modules');
    await cp(join('examples', name), cwd, { recursive: true, filter });
    const project = await HostProject.link(cwd);
    await project.typecheck();
    expect(await project.test()).toMatch(/[#ℹ] fail 0/);
  });
});
