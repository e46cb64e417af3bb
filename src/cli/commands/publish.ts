import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { publishFiles as publishTarget, PUBLISH_OPTIONS, TARGETS, type Target } from '../project/publish.js';
import type { Ui } from '../ui.js';

const HINTS: Readonly<Record<Target, string>> = {
  theme: 'pages, partials, layout, assets, mails and words',
  lang: 'words alone',
  config: 'every setting with its default, to copy from',
  migrations: 'the package’s migrations, to review or replace',
  docker: 'Dockerfile, and compose.yaml with MariaDB, Redis and nginx',
  kubernetes: 'Dockerfile and plain manifests',
  helm: 'Dockerfile and the same manifests as a chart',
  systemd: 'units for one machine, hardened, with a nightly backup',
  fly: 'Dockerfile and fly.toml',
  render: 'Dockerfile and a Blueprint',
  railway: 'Dockerfile, railway.json and its variables',
  devcontainer: 'a container to develop in',
};

export const publish = defineCommand({
  name: 'publish',
  summary: 'copy files of the package into the project, to change them',
  description:
    'Copies what you want to change into the project: theme (pages, partials, layout, assets, mails and words), lang ' +
    '(words alone), config (portal.config.reference.ts, every setting with its default) or migrations. Only what is ' +
    'published overrides the package; the rest keeps coming from it. docker (an image, and compose.yaml with MariaDB, ' +
    'Redis, nginx and new secrets), kubernetes (plain manifests), helm (the same as a chart), systemd (units for one ' +
    'machine), fly, render and railway are for running it, devcontainer for developing in a container; portal deploy:check looks at ' +
    'what was filled in. A file that differs is kept without --force, and secrets always.',
  example: [
    'portal publish theme --only partials/product/card.hbs mail/layout.hbs',
    'portal publish lang',
    'portal publish config',
    'portal publish migrations',
    'portal publish docker',
    'portal publish systemd',
  ],
  arguments: { what: { description: `one of ${TARGETS.join(', ')}; asked for on a terminal`, optional: true } },
  options: PUBLISH_OPTIONS,
  reports: true,
  async run({ cwd, ui, args, options }) {
    const target = args.what === undefined ? await ask(ui) : TARGETS.find((name) => name === args.what);
    if (!target) throw new UsageError(`There is no ${args.what} to publish. It is one of ${TARGETS.join(', ')}.`);
    await publishTarget(target, { cwd, ui, ...options });
  },
});

function ask(ui: Ui): Promise<Target> {
  if (!ui.isInteractive) throw new UsageError(`Say what to publish: ${TARGETS.join(', ')}.`);
  const choices = TARGETS.map((value) => ({ value, hint: HINTS[value] }));
  return ui.select({ message: 'What do you want to change?', flag: TARGETS.join(', '), default: 'theme', choices });
}
