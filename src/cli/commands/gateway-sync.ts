import type { Drift, Portal, GatewaySyncReport } from '../../portal.js';
import { defineCommand } from '../command.js';
import { CommandFailedError, EXIT } from '../errors.js';
import { withPortal } from '../open-portal.js';
import type { Ui } from '../ui.js';

const DONE: Readonly<Record<Drift['fix'], string>> = {
  gateway: 'gateway follows',
  portal: 'portal follows',
  none: 'left alone',
};

export const gatewaySync = defineCommand({
  name: 'gateway:sync',
  summary: 'compare portal and gateway, and bring them together',
  description:
    'Finishes what broke off between portal and gateway, then compares every developer, app, key and product on a key. ' +
    'The more closed side is right: what is open only at the gateway is closed there, and what somebody closed at the ' +
    'gateway is revoked in the portal too, unless --reopen. What the gateway has and the portal never had is left alone. ' +
    'A second run finds nothing to do. Exits with 1 when differences remain that could not be dealt with.',
  example: ['portal gateway:sync --plan', 'portal gateway:sync', 'portal gateway:sync --app ada@example.com/checkout'],
  reports: true,
  options: {
    plan: { type: 'flag', description: 'show what differs and what would be done, and change nothing' },
    app: {
      type: 'text',
      description: 'only this app: e-mail of its developer, a slash, its name',
      placeholder: 'email/name',
    },
    reopen: { type: 'flag', description: 'open again what was closed only at the gateway' },
    prune: { type: 'flag', description: 'remove from the gateway what this portal made and no longer knows' },
  },
  async run({ cwd, ui, json, options }) {
    const { plan, reopen, prune } = options;
    const report = await withPortal({ cwd, ui }, async (portal) => {
      const app = options.app === undefined ? undefined : await findApp(portal, options.app);
      return ui.progress(plan ? 'Comparing' : 'Bringing both sides together', (progress) =>
        portal.services.apps.sync.run({
          ...{ plan, reopen, prune, app },
          onProgress: (done, total) => progress.advance(done, total),
        }),
      );
    });
    if (json) ui.json({ plan, ...presentReport(report) });
    else showReport(report, plan, ui);
    return report.failed.length > 0 || (!plan && report.unfinished.length > 0) ? EXIT.failed : EXIT.ok;
  },
});

async function findApp({ services }: Portal, address: string): Promise<{ userId: number; id: number }> {
  const [, email = '', name = ''] = /^([^/]+)\/(.+)$/.exec(address) ?? [];
  const account = await services.accounts.users.findByEmail(email);
  const found = account && (await services.apps.apps.find(account.user, name).catch(() => null));
  if (found) return { userId: found.owner.id, id: found.app.id };
  throw new CommandFailedError(
    `There is no app ${JSON.stringify(address)}.`,
    'give the e-mail of its developer and its name, as in ada@example.com/checkout',
  );
}

function presentReport({ developers, drifts, fixed, failed, unfinished }: GatewaySyncReport) {
  const present = ({ userId, credentialId, ...drift }: Drift) => ({
    ...drift,
    user_id: userId,
    credential_id: credentialId,
  });
  return {
    ...{ developers, fixed },
    differences: drifts.map(present),
    failed: failed.map(({ drift, reason }) => ({ ...present(drift), reason })),
    unfinished: unfinished.map(({ kind, userId, appId, credentialId, attempts, lastError, createdAt }) => ({
      ...{ kind, user_id: userId, app_id: appId, credential_id: credentialId },
      ...{ attempts, last_error: lastError, created_at: createdAt },
    })),
  };
}

function showReport({ developers, drifts, fixed, failed, unfinished }: GatewaySyncReport, plan: boolean, ui: Ui): void {
  if (drifts.length > 0) {
    const rows = drifts.map((drift) => [
      ...[drift.email, placeOf(drift), drift.kind.replace('_', ' ')],
      ...[drift.portal ?? '–', drift.gateway ?? '–', DONE[drift.fix]],
    ]);
    ui.table([['DEVELOPER', 'WHERE', 'DIFFERENCE', 'PORTAL', 'GATEWAY', ''], ...rows]);
    ui.line();
  }
  for (const { kind, attempts, lastError } of unfinished) {
    ui.warn(`A change is not finished: ${kind}, tried ${attempts} times${lastError === null ? '' : `: ${lastError}`}.`);
  }
  for (const { drift, reason } of failed) ui.error(`${drift.email} ${placeOf(drift)}: ${reason}`);
  const compared = `Compared ${developers} ${developers === 1 ? 'developer' : 'developers'}`;
  if (drifts.length === 0) ui.success(`${compared}: portal and gateway agree.`);
  else if (plan) ui.success(`${compared}: ${drifts.length} differences; nothing was changed.`);
  else ui.success(`${compared}: ${fixed} of ${drifts.length} differences are gone.`);
}

function placeOf({ app, credentialId, product }: Drift): string {
  const parts = [app ?? 'account', credentialId === null ? null : `key ${credentialId}`, product];
  return parts.filter((part) => part !== null).join(' / ');
}
