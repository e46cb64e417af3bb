import { join } from 'node:path';
import { definePortalModule, removeExpired, type ModuleContribution, type PortalParts } from '../../index.js';
import { packageFolder } from '../../core/manifest.js';
import { accountRoutes } from './api/account-routes.js';
import { challengeRoutes } from './api/challenge-routes.js';
import { resetRoutes } from './api/reset-routes.js';
import { mfaOptions, type MfaConfig } from './options.js';
import { EnrolmentGate } from './enrolment-gate.js';
import { LoginGate } from './login-gate.js';
import { MfaAccounts } from './mfa-accounts.js';
import { mfaMigrations } from './migrations.js';
import { challengePages } from './pages/challenge-pages.js';
import { enrolmentPages } from './pages/enrolment-pages.js';
import { factorSettingsPages } from './pages/settings-pages.js';
import { ProvenFactors } from './proven-factors.js';
import { resetCommand } from './reset-command.js';
import { createMfaServices, type MfaParts } from './services.js';
import { FactorStepUp } from './step-up.js';

export {
  MfaEvent,
  MfaFactorAddedEvent,
  MfaFactorRemovedEvent,
  MfaFactorsResetEvent,
  MfaRecoveryCodesRenewedEvent,
  MfaRecoveryCodeUsedEvent,
} from './events.js';
export { MfaEnrolmentRequiredError, MfaRequiredError } from './errors.js';

/** Second factors for developers and admins: authenticator apps, codes by mail, recovery codes. */
export const mfa = definePortalModule({
  name: 'mfa',
  config: mfaOptions,
  migrations: mfaMigrations,
  sealed: ['secret', 'pending_secret'].map((column) => ({
    ...{ table: 'portal_mfa_factors', key: 'id', column },
    sealedAs: { row: ['context', 'account_id'], column: 'secret' },
  })),
  templates: join(packageFolder(), 'templates/modules/mfa'),
  commands: [resetCommand((portal) => createMfaServices(withOptions(portal)).enrolment)],
  register,
});

function withOptions(portal: PortalParts): MfaParts {
  return { ...portal, options: (portal.config as unknown as { readonly mfa: MfaConfig }).mfa };
}

function register(parts: MfaParts): ModuleContribution {
  const { services, events, database, clock } = parts;
  const { directory } = services.auth;
  const { factors, challenges, codes, mails, enrolment, isRequired } = createMfaServices(parts);
  const proofs = new ProvenFactors();
  const accounts = new MfaAccounts(enrolment, directory);
  const gate = new LoginGate({
    ...{ factors, proofs, challenges, codes, enrolment, mails, directory, isRequired },
    flow: () => services.auth.flow,
  });
  gate.listen(events);
  const contexts = ['consumer', 'admin'] as const;
  return {
    routes: [
      ...contexts.flatMap((context) => [...challengeRoutes(gate, context), ...accountRoutes(accounts, context)]),
      ...resetRoutes(enrolment, directory),
    ],
    pages: [...challengePages(gate), ...enrolmentPages(gate), ...factorSettingsPages(accounts)],
    accountLinks: [{ path: '/settings/mfa', words: 'mfa-settings.title' }],
    loginSteps: [(account) => gate.step(account)],
    gates: [new EnrolmentGate(factors, isRequired).gate],
    stepUp: new FactorStepUp({ factors, proofs, challenges, codes, mails, directory }),
    jobs: [
      {
        name: 'mfa',
        every: 3_600,
        exclusive: true,
        run: async () => {
          const ended = { condition: 'expires_at <= ?', values: [clock.now()] };
          await removeExpired(database, { table: 'portal_mfa_challenges', key: 'id', ...ended });
        },
      },
    ],
  };
}
