import {
  definePage,
  field,
  Redirect,
  View,
  type ConsumerActor,
  type FormState,
  type Page,
  type Visit,
} from '../../index.js';
import { InvalidStateError } from './errors.js';
import type { Identities } from './identities.js';
import type { IdentityLinks } from './identity-links.js';
import { developerOwner } from './link-mails.js';
import type { OidcLogin } from './oidc-login.js';
import type { PendingLinks } from './pending-links.js';

type MyVisit = Visit<ConsumerActor>;

export interface SettingsPageParts {
  readonly login: OidcLogin;
  readonly identities: Identities;
  readonly links: IdentityLinks;
  readonly pending: PendingLinks;
}

const PATH = '/settings/sign-in';
/** Seconds that a reauthentication is valid for linking and unlinking. */
const FRESH = 300;
/** Maximum length of an encrypted identity. */
const LONGEST = 16_384;
const developers = { audience: 'developers' } as const;

/** A developer's linked identities. */
export function identityPages({ login, identities, links, pending }: SettingsPageParts): readonly Page[] {
  const requireFresh = ({ services, actor }: MyVisit) => services.auth.guard.requireRecentSignIn(actor, FRESH);

  const settings = async (visit: MyVisit, state: Partial<FormState> = {}): Promise<View> => {
    const { errors, problem, retryAfter, status = 200 } = state;
    const mine = await identities.list(visit.actor);
    const rows = login.listProviders('consumer').map(({ settings: { name, label } }) => {
      const identity = mine.find(({ provider }) => provider === name);
      return { name, label, email: identity?.email ?? null, linkedAt: identity?.createdAt ?? null };
    });
    const isProved = visit.actor.user.emailVerifiedAt !== null;
    return new View('oidc-settings', { rows, isProved, errors, problem, retryAfter }, { status });
  };

  return [
    definePage({ ...developers, method: 'get', path: PATH, handle: (visit) => settings(visit) }),
    definePage({
      ...developers,
      method: 'post',
      path: `${PATH}/link`,
      handle: async (visit) => {
        requireFresh(visit);
        const { actor, request } = visit;
        const encrypted = field(request, 'identity');
        const proved = encrypted.length <= LONGEST ? pending.open(actor.id, encrypted) : null;
        if (!proved) throw new InvalidStateError();
        const { settings: provider } = login.provider('consumer', proved.provider);
        await links.addOwn(actor.user, provider, proved.claims, request.info);
        return new Redirect(PATH, 'oidc-linked');
      },
      retry: settings,
    }),
    definePage({
      ...developers,
      method: 'post',
      path: `${PATH}/:provider/unlink`,
      handle: async (visit) => {
        requireFresh(visit);
        await links.remove(developerOwner(visit.actor.user), visit.params.provider ?? '', visit.request.info);
        return new Redirect(PATH, 'oidc-unlinked');
      },
      retry: settings,
    }),
  ];
}
