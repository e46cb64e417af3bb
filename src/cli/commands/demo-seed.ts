import { join } from 'node:path';
import type { DemoReport, Portal } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

export const demoSeed = defineCommand({
  name: 'demo:seed',
  summary: 'fill the portal with a demo catalog and demo developers',
  description:
    'Creates categories, API products with real OpenAPI documents, an audience, menus, guides and developers. ' +
    'What exists already is left as it is, so a second run changes nothing. Passwords are random and shown once, ' +
    'when an account is created. Refuses to run in production.',
  example: ['portal demo:seed', 'portal demo:seed --json'],
  reports: true,
  async run({ cwd, ui, json }) {
    const { packageFolder } = await import('../../core/manifest.js');
    const folder = join(packageFolder(), 'templates', 'demo');
    const report = await withPortal({ cwd, ui }, (portal) => {
      refuseProduction(portal);
      return ui.progress('Seeding the demo content', (progress) =>
        seed(portal, folder, (what) => progress.message(what)),
      );
    });
    if (json) ui.json(presentReport(report));
    else showReport(report, ui);
  },
});

interface SeedReport extends DemoReport {
  readonly guides: readonly { readonly slug: string; readonly isNew: boolean }[];
}

async function seed({ services }: Portal, folder: string, onStep: (what: string) => void): Promise<SeedReport> {
  const report = await services.catalog.demo.run(folder, onStep);
  onStep('guides');
  return { ...report, guides: await services.content.demo.run(folder) };
}

// S62: accounts with known passwords must not exist in production.
function refuseProduction({ config }: Portal): void {
  if (config.app.env !== 'production') return;
  throw new CommandFailedError(
    'demo:seed does not run in production, where its accounts would be doors that nobody asked for.',
    'set app.env (APP_ENV) to development if this is no production portal',
  );
}

function presentReport({ products, categories, audiences, menus, developers, guides }: SeedReport) {
  const rename = ({ isNew, ...rest }: { readonly isNew: boolean }) => ({ ...rest, created: isNew });
  return {
    products: products.map(({ slug, name, visibility, approval, hasSpec, isNew }) => {
      return { slug, name, visibility, approval, has_spec: hasSpec, created: isNew };
    }),
    categories: categories.map(rename),
    audiences: audiences.map(rename),
    menus: menus.map(rename),
    guides: guides.map(rename),
    developers: developers.map(rename),
  };
}

function showReport({ products, categories, audiences, menus, developers, guides }: SeedReport, ui: Ui): void {
  const outcome = ({ isNew }: { readonly isNew: boolean }) => (isNew ? 'created' : 'kept');
  ui.table([
    ['PRODUCT', 'VISIBILITY', 'APPROVAL', 'DOCUMENT', ''],
    ...products.map((row) => [row.slug, row.visibility, row.approval, row.hasSpec ? 'yes' : '–', outcome(row)]),
  ]);
  ui.line();
  ui.table([
    ['ALSO', 'NAME', ''],
    ...categories.map((row) => ['category', row.slug, outcome(row)]),
    ...audiences.map((row) => ['audience', row.name, outcome(row)]),
    ...menus.map((row) => ['menu', row.slug, outcome(row)]),
    ...guides.map((row) => ['guide', row.slug, outcome(row)]),
  ]);
  ui.line();
  ui.table([
    ['DEVELOPER', 'PASSWORD', ''],
    ...developers.map((row) => [row.email, row.password ?? '(unchanged)', outcome(row)]),
  ]);
  ui.line();
  const made = [products, categories, audiences, menus, developers, guides].flat().filter(({ isNew }) => isNew).length;
  if (made === 0) ui.success('Everything was there already; nothing was changed.');
  else ui.success(`Created ${made} records. The passwords are not shown again.`);
}
