import { readManifest } from '../../core/manifest.js';
import { defineCommand } from '../command.js';
import { requireHostProject } from '../host-project.js';
import { compareTemplates, NEWS, type ComparedTemplate, type TemplateState } from '../project/compare-templates.js';
import { acceptTemplates } from '../project/publish-templates.js';
import { viewsFolder } from '../project/publish.js';
import { selectByPath, listShippedTemplates } from '../project/shipped-templates.js';
import { unifiedDiff } from '../project/unified-diff.js';
import type { Ui } from '../ui.js';

const LABELS: Readonly<Record<TemplateState, string>> = {
  same: 'as the package has it',
  yours: 'changed by you; the package has not changed it since',
  outdated: 'the package changed it since, you did not',
  both: 'changed by you, and the package changed it since',
  unknown: 'differs from the package; it is not recorded which version it came from',
  gone: 'no longer in the package',
};

export const themeDiff = defineCommand({
  name: 'theme:diff',
  summary: 'compare published views with those of the package',
  description:
    'Says for every published file whether you changed it, whether the package changed it since it was published, or ' +
    'both, and shows the way from your file to the present one of the package. Once you have taken over what you want, ' +
    '--accept notes that the present version is known.',
  example: [
    'portal theme:diff',
    'portal theme:diff --brief',
    'portal theme:diff --only pages/landing.hbs',
    'portal theme:diff --accept pages/landing.hbs',
  ],
  options: {
    only: { type: 'list', placeholder: 'path', description: 'only these files, or folders with what is below' },
    brief: { type: 'flag', description: 'list the files without their differences' },
    accept: {
      type: 'list',
      placeholder: 'path',
      description: 'note that the present version of these files is known; . for all',
    },
  },
  reports: true,
  async run({ cwd, ui, json, options }) {
    await requireHostProject(cwd);
    const { folder, viewsDir } = await viewsFolder(cwd);
    if (options.accept !== undefined) {
      const published = new Set((await compareTemplates(folder)).map(({ path }) => path));
      const shipped = (await listShippedTemplates()).filter(({ path }) => published.has(path));
      await acceptTemplates(folder, await selectByPath(shipped, options.accept, viewsDir));
    }
    const templates = await selectByPath(await compareTemplates(folder), options.only, viewsDir);
    if (json) ui.json({ files: templates.map((view) => present(view, viewsDir)) });
    else show(templates, viewsDir, options.brief, ui);
  },
});

function present(view: ComparedTemplate, viewsDir: string) {
  return {
    path: view.path,
    state: view.state,
    published_from: view.publishedFrom,
    diff: diffOf(view, viewsDir) || null,
  };
}

/** From your file to the package's: lines with a plus are new to you. */
function diffOf({ path, state, yours, shipped }: ComparedTemplate, viewsDir: string): string {
  if (state === 'same' || shipped === null) return '';
  return unifiedDiff(yours, shipped, [`${viewsDir}/${path}`, `portalkit ${readManifest().version}: ${path}`]);
}

function show(templates: readonly ComparedTemplate[], viewsDir: string, brief: boolean, ui: Ui): void {
  if (templates.length === 0) return ui.line('No views are published: all come from the package.');
  const rows = templates.map(({ path, state, publishedFrom }) => [
    `${viewsDir}/${path}`,
    publishedFrom ?? '–',
    LABELS[state],
  ]);
  ui.table([['FILE', 'FROM', 'STATE'], ...rows]);
  for (const diff of brief ? [] : templates.map((view) => diffOf(view, viewsDir)).filter(Boolean)) {
    ui.line();
    ui.line(diff);
  }
  const outdated = templates.filter(({ state }) => state === 'outdated').map(({ path }) => path);
  const changed = templates.filter(({ state }) => NEWS.has(state)).length;
  ui.line();
  if (changed === 0) return ui.success('The package changed none of them since.');
  ui.warn(`${changed} of ${templates.length} changed in the package since they were published.`);
  if (outdated.length > 0) {
    ui.note(`Those without a change of yours: portal theme:publish --force --only ${outdated.join(' ')}`);
  }
}
