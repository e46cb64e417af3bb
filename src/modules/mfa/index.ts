import { join } from 'node:path';
import {
  definePortalModule,
  extendAdminResource,
  removeExpired,
  type AdminAction,
  type ModuleContribution,
  type PortalParts,
  type AccountRef,
  type ModuleParts,
  type AuthContext,
  type ModuleCommand,
} from '../../index.js';
import { packageFolder } from '../../core/manifest.js';
import { accountRoutes } from './account-routes.js';
import { challengeRoutes } from './challenge-routes.js';
import { resetRoutes } from './reset-routes.js';
import { mfaOptions, type MfaConfig } from './options.js';
import { EnrolmentGate, LoginGate } from './login-gate.js';
import { MfaAccounts } from './mfa-accounts.js';
import { mfaMigrations } from './migrations.js';
import { challengePages } from './challenge-pages.js';
import { enrolmentPages } from './enrolment-pages.js';
import { factorSettingsPages } from './settings-pages.js';
import { ProvenFactors } from './proven-factors.js';
import { FactorStepUp } from './step-up.js';
import { Challenges } from './challenges.js';
import { CodeCheck } from './code-check.js';
import { Enrolment } from './enrolment.js';
import { Factors } from './factors.js';
import { MfaMails } from './mfa-mails.js';
import { RecoveryCodes } from './recovery-codes.js';

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
  const pagesOf = (context: AuthContext) => [
    ...challengePages(gate, context),
    ...enrolmentPages(gate, context),
    ...factorSettingsPages(accounts, context),
  ];
  const settingsLink = { path: '/settings/mfa', words: 'mfa-settings.title' };
  return {
    routes: [
      ...contexts.flatMap((context) => [...challengeRoutes(gate, context), ...accountRoutes(accounts, context)]),
      ...resetRoutes(enrolment, directory),
    ],
    pages: pagesOf('consumer'),
    consolePages: pagesOf('admin'),
    accountLinks: [settingsLink],
    consoleLinks: { account: [settingsLink] },
    adminResources: ['users', 'admins'].map((name) => extendAdminResource(name, { actions: [resetOf(name)] })),
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

/** For owners who lost a factor, on the pages of the console. */
function resetOf(resource: string): AdminAction {
  const operation = resource === 'admins' ? 'resetAdminMfa' : 'resetUserMfa';
  return { name: 'reset-mfa', operation, tone: 'danger' };
}

type MfaParts = ModuleParts<typeof mfaOptions>;

function createMfaServices(parts: MfaParts) {
  const { services, config, options, address, mail, keys } = parts;
  const { attempts, sessions } = services.auth;
  const isRequired = ({ context }: AccountRef) =>
    (context === 'admin' ? options.admins : options.developers) === 'required';
  const factors = new Factors(parts);
  const recovery = new RecoveryCodes({ ...parts, attempts });
  const challenges = new Challenges({ ...parts, keys: keys('mfa-codes') });
  const codes = new CodeCheck({ ...parts, factors, recovery, challenges, attempts });
  const settingsPage = ({ context }: AccountRef) =>
    context === 'admin' ? address.consolePage('/settings/mfa') : address.page('/settings/mfa');
  const mails = new MfaMails({ mail, settingsPage, defaultLocale: config.theme.locale });
  const issuer = options.issuer === '' ? config.app.name : options.issuer;
  const enrolment = new Enrolment({
    ...{ ...parts, factors, recovery, challenges, codes, mails, sessions, isRequired },
    // A colon ends the issuer in an `otpauth:` URI.
    issuer: issuer.replaceAll(':', ' '),
  });
  return { factors, challenges, codes, mails, enrolment, isRequired };
}

const CONTEXTS: Readonly<Record<string, AuthContext>> = { admin: 'admin', developer: 'consumer' };
/** Stands in for the request, which a command does not have. */
const REQUEST = { requestId: 'mfa:reset', ip: '', userAgent: '' };
const USAGE = 2;

/** The last resort if nobody else can reset a lost factor. */
function resetCommand(enrolmentOf: (portal: PortalParts) => Enrolment): ModuleCommand {
  return {
    name: 'mfa:reset',
    summary: 'take the second factors of an account away',
    description:
      'For an admin or a developer who lost their authenticator and their recovery codes. Every sign-in of the account ' +
      'ends and its owner is told by mail. Make sure who asks.',
    example: 'portal mfa:reset admin grace@example.com',
    arguments: {
      context: { description: 'admin or developer' },
      email: { description: 'the address of the account' },
    },
    run: async ({ portal, args: { context = '', email = '' }, line, json }) => {
      const known = Object.hasOwn(CONTEXTS, context) ? CONTEXTS[context] : undefined;
      if (known === undefined) {
        line(`Say whose factors: admin or developer, not ${JSON.stringify(context)}.`);
        return USAGE;
      }
      const found = await portal.services.auth.directory.findByEmail(known, email);
      if (!found) {
        line(`There is no ${context} with the address ${email}.`);
        return 1;
      }
      await enrolmentOf(portal).reset({ account: found.account, request: REQUEST });
      line(`The second factors of ${found.account.email} are gone, and every sign-in of the account has ended.`);
      json({ context, email: found.account.email, reset: true });
      return 0;
    },
  };
}
