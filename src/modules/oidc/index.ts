import { join } from 'node:path';
import {
  AdminDeletedEvent,
  definePortalModule,
  removeExpired,
  UserDeletedEvent,
  type GivenRole,
  type LoginLink,
  UserReclaimedEvent,
  type ModuleContribution,
  type ModuleParts,
} from '../../index.js';
import { packageFolder } from '../../core/manifest.js';
import { AdminAccounts } from './admin-accounts.js';
import { oidcRoutes } from './api-routes.js';
import { oidcOptions } from './options.js';
import { DeveloperAccounts } from './developer-accounts.js';
import { DeveloperTeams } from './developer-teams.js';
import { Identities } from './identities.js';
import { IdentityLinks } from './identity-links.js';
import { IdentityProvider } from './identity-provider.js';
import { developerOwner, LinkMails } from './link-mails.js';
import { oidcMigrations } from './migrations.js';
import { OidcLogin } from './oidc-login.js';
import { PendingLinks } from './pending-links.js';
import { identityPages } from './settings-pages.js';
import { providerSignInPages } from './sign-in-pages.js';
import { providerFaults, readProviders, type Provider } from './provider.js';
import { Transactions } from './transactions.js';

export { OidcIdentityLinkedEvent, OidcIdentityUnlinkedEvent } from './events.js';
export type { AdminSsoInput, ProviderInput, TeamGroupsInput } from './provider.js';

type Parts = ModuleParts<typeof oidcOptions>;

/** Signing in through OpenID Connect providers, for developers and admins. */
export const oidc = definePortalModule({
  name: 'oidc',
  config: oidcOptions,
  check: ({ providers }) => providerFaults(providers),
  migrations: oidcMigrations,
  templates: join(packageFolder(), 'templates/modules/oidc'),
  register,
});

function register(parts: Parts): ModuleContribution {
  const { database, encrypter, clock, address, options } = parts;
  const { login, links, identities } = createServices(parts);
  const pending = new PendingLinks(encrypter, clock);
  const callback = ({ name }: Provider) => `/login/oidc/${name}/callback`;
  const redirectUri = (provider: Provider) => address.page(callback(provider));
  const https = () => address.base().startsWith('https:');
  const offered = login.listProviders('consumer');
  const routeParts = { login, links, https, redirectUri };
  return {
    routes: [...oidcRoutes(routeParts, 'consumer'), ...oidcRoutes(routeParts, 'admin')],
    pages: [
      ...providerSignInPages({ login, pending, redirectUri, context: 'consumer' }),
      ...(offered.length > 0 ? identityPages({ login, identities, links, pending }) : []),
    ],
    consolePages: providerSignInPages({
      ...{ login, pending, context: 'admin' },
      redirectUri: (provider) => address.consolePage(callback(provider)) ?? redirectUri(provider),
    }),
    givenRoles: groupRoles(options.providers),
    loginLinks: offered.map(linkTo),
    consoleLinks: { login: login.listProviders('admin').map(linkTo) },
    accountLinks: offered.length > 0 ? [{ path: '/settings/sign-in', words: 'oidc-settings.title' }] : [],
    jobs: [
      {
        name: 'oidc',
        every: 3_600,
        exclusive: true,
        run: async () => {
          const ended = { condition: 'expires_at <= ?', values: [clock.now()] };
          await removeExpired(database, { table: 'portal_oidc_transactions', key: 'id', ...ended });
        },
      },
    ],
  };
}

function linkTo({ settings: { name, label } }: IdentityProvider): LoginLink {
  return { path: `/login/oidc/${name}`, words: 'oidc.sign-in-with', name: label };
}

/** The roles that groups are mapped to. */
function groupRoles(providers: Parts['options']['providers']): GivenRole[] {
  return readProviders(providers).flatMap(({ name: provider, admins }) =>
    Object.values(admins?.roles ?? {}).map((name) => ({ name, setting: `oidc.providers.${provider}.admins.roles` })),
  );
}

function createServices(parts: Parts) {
  const { services, events, config, options, clock, logger, outbound, address } = parts;
  const { directory, admission } = services.auth;
  const identities = new Identities(parts);
  const configured = readProviders(options.providers);
  const mails = new LinkMails({
    ...{ mail: parts.mail, defaultLocale: config.theme.locale },
    labelOf: (name) => configured.find((provider) => provider.name === name)?.label ?? name,
    settingsPage: () => address.page('/settings/sign-in'),
  });
  const links = new IdentityLinks({ ...parts, identities, mails });
  const accounts = { identities, links, directory };
  const developers = new DeveloperAccounts({
    ...{ ...accounts, clock, users: services.accounts.users, admission, settings: config.accounts },
    teams: new DeveloperTeams({ teams: services.teams, logger }),
  });
  const admins = new AdminAccounts({ ...parts, ...accounts, rbac: services.rbac });
  const providers = configured.map(
    (provider) => new IdentityProvider(provider, { clock, outbound, timeout: options.timeout }),
  );
  const login = new OidcLogin({
    ...{ providers, developers, admins, events, clock, logger },
    transactions: new Transactions(parts),
    flow: () => services.auth.flow,
  });
  events.within(UserDeletedEvent, ({ user }, transaction) =>
    identities.forget({ context: 'consumer', id: user.id }, transaction),
  );
  events.within(UserReclaimedEvent, ({ user }, transaction) => links.removeAll(developerOwner(user), transaction));
  events.within(AdminDeletedEvent, ({ admin }, transaction) =>
    identities.forget({ context: 'admin', id: admin.id }, transaction),
  );
  return { login, links, identities };
}
