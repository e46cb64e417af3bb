import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderWith } from '../config/support.js';
import { servePortal, spawnPortal } from '../support/portal-process.js';
import { passOwnChecks, run } from './support.js';

describe('a project made from a checkout', () => {
  let parent: string;
  beforeAll(async () => {
    parent = await folderWith({});
    const cli = join(process.cwd(), 'bin', 'portal.js');
    const { stdout } = await run(process.execPath, [cli, 'init', 'acme', '--yes', '--color', '#7a1fa2'], parent);
    expect(
      stdout
        .split('Next:\n')[1]
        ?.trim()
        .split(/\s*\n\s*/),
    ).toEqual([...['cd acme', 'npx portal admin:create', 'npm run dev']]);
  });

  it('shows an API of one’s own, in a colour of one’s own, after two more commands', async () => {
    const [cwd, bin] = [join(parent, 'acme'), join(parent, 'acme', 'node_modules', 'portalkit', 'bin', 'portal.js')];
    const paths = { '/hours': { get: { summary: 'Hours of a branch', responses: { 200: { description: 'Hours' } } } } };
    const document = { openapi: '3.1.0', info: { title: 'Opening Hours', version: '1' }, paths };
    await writeFile(join(cwd, 'openapi.json'), JSON.stringify(document));
    expect((await spawnPortal(['import', 'openapi.json', '--publish'], { cwd, bin })).exitCode).toBe(0);
    const serving = await servePortal([], { cwd, bin });
    try {
      const page = await fetch(`${serving.url}/portal/products/opening-hours/spec`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Hours of a branch')]);
      expect(await (await fetch(`${serving.url}/portal/assets/brand.css`)).text()).toContain('#7a1fa2');
    } finally {
      await serving.stop();
    }
  });

  it('can be installed again from its lockfile alone, as a deployment does', async () => {
    await run('npm', ['ci', '--ignore-scripts'], join(parent, 'acme'));
  });

  it('passes its own type check and its own tests', () => passOwnChecks(join(parent, 'acme')));
});
