import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SpecDiff } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { withPortal } from '../open-portal.js';
import { loadSpecWords, presentDiff, writeSpecReport } from '../spec-report.js';

const UNCHANGED: SpecDiff = { changes: [], counts: { breaking: 0, warning: 0, info: 0 }, more: 0, isComplete: true };

export const push = defineCommand({
  name: 'push',
  summary: 'give a product its document, and say what that changes for callers',
  description:
    'Gives a product, or one of its versions, the document, and keeps it with where it came from. It is held against the one ' +
    'that it replaces first. With --check-breaking nothing is changed if callers would break, unless --reason says why they are to. ' +
    'Ends with 0, with 1 if it would break callers, and with 2 for a document that cannot be read. The activity log names the command line.',
  example: [
    'portal push payments openapi.yaml --check-breaking --commit 9fceb02',
    'portal push payments openapi.yaml --api-version v2 --format markdown > changes.md',
    'portal push payments openapi.yaml --check-breaking --reason "Nobody calls it any more."',
  ],
  arguments: {
    slug: { description: 'the product' },
    file: { description: 'its OpenAPI or AsyncAPI document, or GraphQL schema' },
  },
  options: {
    apiVersion: { type: 'text', description: 'the version that it belongs to; the default one without' },
    checkBreaking: { type: 'flag', description: 'change nothing if callers of the document that is there would break' },
    reason: { type: 'text', description: 'why a breaking change is published; kept with the document' },
    commit: { type: 'text', description: 'commit that the document comes from' },
    source: { type: 'text', description: 'address that the document comes from' },
    format: {
      type: 'choice',
      choices: ['text', 'markdown', 'json', 'junit'],
      default: 'text',
      description: 'how the changes are written',
    },
    dryRun: { type: 'flag', description: 'say what would change for callers, and change nothing' },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const bytes = await readFile(resolve(cwd, args.file)).catch((cause: Error) => {
      throw new CommandFailedError(`${args.file} cannot be read.`, 'name it as a path from the current folder', {
        cause,
      });
    });
    const { apiVersion: name, reason, commit, source, dryRun } = options;
    return withPortal({ cwd, ui }, async ({ services: { catalog }, config }) => {
      const product = await catalog.products.findForAdmin(args.slug).catch(missing(`the product ${args.slug}`));
      const owned =
        name === undefined
          ? null
          : await catalog.versions.find(product, name).catch(missing(`the version ${name} of ${args.slug}`));
      const planned = await catalog.uploads.plan(product, owned?.version ?? null, { kind: 'file', bytes });
      const diff = planned.diff ?? UNCHANGED;
      const names = [owned ? `${args.slug}@${owned.version.name}` : args.slug, args.file] as const;
      const told = { diff, say: await loadSpecWords(), names };
      const isStopped = options.checkBreaking && diff.counts.breaking > 0 && reason === undefined;
      if (!dryRun && !isStopped) {
        const note = { commit, source, reason, isConfirmed: reason !== undefined };
        const settings = { locale: config.theme.locale };
        if (owned) await catalog.uploads.giveVersion(owned, planned, note, settings);
        else await catalog.uploads.giveProduct(product, planned, note, settings);
      }
      const isCompared = planned.diff !== null;
      const outcome = isStopped
        ? 'refused'
        : dryRun
          ? 'dry-run'
          : planned.before === planned.spec.hash
            ? 'unchanged'
            : 'given';
      const report = { product: args.slug, version: owned?.version.name ?? null, hash: planned.spec.hash, outcome };
      if (json || options.format === 'json') {
        const whole = { ...report, compared: isCompared, ...presentDiff(told) };
        if (json) ui.json(whole);
        else ui.line(JSON.stringify(whole, null, 2));
      } else {
        ui.line(writeSpecReport(told, options.format));
        if (isStopped) ui.note('Nothing was changed. Keep what callers use, make a version, or say --reason.');
      }
      return isStopped ? EXIT.failed : EXIT.ok;
    });
  },
});

function missing(what: string) {
  return (cause: Error & { readonly status?: number }): never => {
    if (cause.status !== 404) throw cause;
    throw new CommandFailedError(`There is no such thing as ${what}.`, 'make it first', { cause });
  };
}
