import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FieldErrors } from '../../core/errors.js';
import type { SpecDiff } from '../../portal.js';
import { defineCommand } from '../command.js';
import { EXIT, UsageError } from '../errors.js';
import { withPort } from '../code-folder.js';
import { withPortal } from '../open-portal.js';
import { checkLocally, checkRemotely, type CheckedPush, type PushedPart } from '../push-targets.js';
import { loadChangeWriter, mayBreak, presentDiff, writeSpecReport } from '../spec-report.js';
import type { Ui } from '../ui.js';

const UNCHANGED: SpecDiff = {
  ...{ changes: [], counts: { breaking: 0, warning: 0, info: 0 }, more: 0, isComplete: true },
  operations: { version: '', added: [], changed: [] },
};

export const push = defineCommand({
  name: 'push',
  summary: 'give a product its document, and say what that changes for callers',
  description:
    'Gives a product, or one of its versions, the document, and keeps it with where it came from. It is held against the one ' +
    'that it replaces first. With --check-breaking nothing is changed if callers would break, or if the two are too involved to be ' +
    'compared in whole, unless --reason says why it is to be. Ends with 0, with 1 if nothing was changed for that, and with 2 for ' +
    'a document that cannot be read. What it changes is drafted as an ' +
    'entry of the changelog. With --server it needs no project: a service token with portal.products.view and ' +
    'portal.products.update is enough. The activity log names the command line, or the token.',
  example: [
    'portal push payments openapi.yaml --check-breaking --commit 9fceb02',
    'portal push payments openapi.yaml --api-version v2 --format markdown > changes.md',
    'portal push payments openapi.yaml --check-breaking --server https://portal.example.com',
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
    commit: { type: 'text', description: 'commit that the document comes from; the one of the pipeline without' },
    source: { type: 'text', description: 'address that it comes from; the run of the pipeline without' },
    server: {
      type: 'text',
      placeholder: 'url',
      description: 'a portal over the network, with a service token, in place of the database',
    },
    token: {
      type: 'text',
      description: 'the service token; better in PORTAL_TOKEN, where no list of processes shows it',
    },
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
    const { apiVersion: version, reason, server, token, dryRun, format } = options;
    if (token !== undefined && server === undefined) throw new UsageError('--token goes with --server.');
    const bytes = await readFile(resolve(cwd, args.file)).catch(() => {
      throw new UsageError(`${args.file} cannot be read. Name it as a path from the current folder.`);
    });
    const { readPipeline } = await import('../../config/index.js');
    const pipeline = readPipeline();
    const { commit = pipeline.commit, source = pipeline.source } = options;
    return withChecked({ cwd, ui, server, token }, { slug: args.slug, version, bytes }, async (checked) => {
      const diff = checked.diff ?? UNCHANGED;
      const isStopped = options.checkBreaking && mayBreak(diff) && reason === undefined;
      const note = { commit, source, reason, isConfirmed: reason !== undefined };
      const given = isStopped || dryRun ? null : await checked.give(note);
      const outcome = isStopped ? 'refused' : !given ? 'dry-run' : given.isUnchanged ? 'unchanged' : 'given';
      const names = [version === undefined ? args.slug : `${args.slug}@${version}`, args.file] as const;
      const told = { diff, say: checked.say, names };
      if (json || format === 'json') {
        const report = { product: args.slug, version: version ?? null, hash: checked.hash, outcome };
        const draft = given?.draft?.id ?? null;
        const whole = { ...report, drafted_change: draft, compared: checked.diff !== null, ...presentDiff(told) };
        if (json) ui.json(whole);
        else ui.line(JSON.stringify(whole, null, 2));
      } else {
        ui.line(writeSpecReport(told, format));
        if (isStopped) ui.note('Nothing was changed. Keep what callers use, make a version, or say --reason.');
        if (given?.draft) ui.note(`Drafted in the changelog: ${given.draft.name} (${given.draft.id}).`);
      }
      return isStopped ? EXIT.failed : EXIT.ok;
    });
  },
});

interface Place {
  readonly cwd: string;
  readonly ui: Ui;
  readonly server: string | undefined;
  readonly token: string | undefined;
}

async function withChecked<T>(place: Place, part: PushedPart, run: (checked: CheckedPush) => Promise<T>): Promise<T> {
  if (place.server !== undefined) {
    return withPort(place, async (port) => run(await checkRemotely(port, part).catch(refuseUnreadable)));
  }
  return withPortal(place, async (portal) =>
    run(await checkLocally(portal, part, await loadChangeWriter()).catch(refuseUnreadable)),
  );
}

/** The document itself is refused. */
function refuseUnreadable(error: Error & { readonly status?: number; readonly errors?: FieldErrors }): never {
  if (error.status !== 400 && error.status !== 422) throw error;
  throw new UsageError([error.message, ...Object.values(error.errors ?? {}).flat()].join(' '));
}
