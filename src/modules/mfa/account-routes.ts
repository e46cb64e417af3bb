import {
  accepted,
  defineRoute,
  emptyReply,
  ok,
  OWN_ACCOUNT,
  type AuthContext,
  type PortalRoute,
  type PortalServices,
} from '../../index.js';
import { FRESH, type MfaAccounts, type SignedInAccount } from './mfa-accounts.js';
import { FACTOR_TYPES, type FactorType } from './factor.js';
import { presentMfa, presentTotp } from './presenter.js';
import { codeBody, confirmedReply, factorParams, mfaReply, recoveryCodesReply, totpReply } from './schema.js';

const FRESHNESS = 'Asks for a sign-in, or a re-authentication, of the last 5 minutes.';

/** A signed-in account's own factors; the same for developers and admins. */
export function accountRoutes(mfa: MfaAccounts, context: AuthContext): readonly PortalRoute[] {
  const confirm = FACTOR_TYPES.map((factor) => confirmRoute(mfa, context, factor));
  return [showRoute(mfa, context), ...beginRoutes(mfa, context), ...confirm, ...removeRoutes(mfa, context)];
}

function shareFacts(context: AuthContext) {
  return { context, tag: context === 'admin' ? 'Admin profile' : 'Profile', permission: OWN_ACCOUNT } as const;
}

/** `beginTotp` → `beginAdminTotp`. */
function operation(context: AuthContext, verb: string, noun: string): string {
  return `${verb}${context === 'admin' ? 'Admin' : ''}${noun}`;
}

function requireFresh({ auth }: PortalServices, actor: SignedInAccount): void {
  auth.guard.requireRecentSignIn(actor, FRESH);
}

function showRoute(mfa: MfaAccounts, context: AuthContext): PortalRoute {
  return defineRoute({
    ...shareFacts(context),
    method: 'get',
    path: '/me/mfa',
    operation: operation(context, 'get', 'Mfa'),
    exemptFromGates: true,
    summary: 'Show the second factors of the own account',
    reply: { 200: mfaReply },
    handle: async ({ actor }) => presentMfa(await mfa.state(actor)),
  });
}

function beginRoutes(mfa: MfaAccounts, context: AuthContext): readonly PortalRoute[] {
  return [
    defineRoute({
      ...shareFacts(context),
      method: 'post',
      path: '/me/mfa/totp',
      operation: operation(context, 'begin', 'Totp'),
      exemptFromGates: true,
      errors: [409, 429],
      summary: 'Begin with an authenticator app',
      description: `It counts from its first code on; one that is in use stays good until then. ${FRESHNESS}`,
      reply: { 200: totpReply },
      handle: async ({ services, actor }) => {
        requireFresh(services, actor);
        return presentTotp(await mfa.beginTotp(actor));
      },
    }),
    defineRoute({
      ...shareFacts(context),
      method: 'post',
      path: '/me/mfa/email',
      operation: operation(context, 'begin', 'EmailFactor'),
      exemptFromGates: true,
      errors: [409, 429],
      summary: 'Begin with codes by mail',
      description: `Mails a code to the address of the account. ${FRESHNESS}`,
      reply: { 202: emptyReply },
      handle: async ({ services, actor, locale }) => {
        requireFresh(services, actor);
        await mfa.beginEmail(actor, locale);
        return accepted({}, { message: 'Code sent.' });
      },
    }),
  ];
}

function confirmRoute(mfa: MfaAccounts, context: AuthContext, factor: FactorType): PortalRoute {
  return defineRoute({
    ...shareFacts(context),
    method: 'post',
    path: `/me/mfa/${factor}/confirm`,
    operation: operation(context, 'confirm', factor === 'totp' ? 'Totp' : 'EmailFactor'),
    exemptFromGates: true,
    errors: [409, 429],
    summary: `Confirm ${factor === 'totp' ? 'the authenticator' : 'codes by mail'} with the first code`,
    description: `From now on a factor is asked for at every login. Every other sign-in of the account ends. ${FRESHNESS}`,
    body: codeBody,
    reply: { 200: confirmedReply },
    handle: async ({ services, actor, body, request, locale }) => {
      requireFresh(services, actor);
      const codes = await mfa.confirm(actor, factor, body.code, request, locale);
      return ok({ recovery_codes: codes }, { message: 'Factor confirmed.' });
    },
  });
}

function removeRoutes(mfa: MfaAccounts, context: AuthContext): readonly PortalRoute[] {
  return [
    defineRoute({
      ...shareFacts(context),
      method: 'delete',
      path: '/me/mfa/:factor',
      operation: operation(context, 'remove', 'Factor'),
      errors: [409, 429],
      summary: 'Remove a factor',
      description: `With the last one the recovery codes go too. Every other sign-in of the account ends. ${FRESHNESS}`,
      params: factorParams,
      reply: { 200: emptyReply },
      handle: async ({ services, actor, params, request, locale }) => {
        requireFresh(services, actor);
        await mfa.remove(actor, params.factor, request, locale);
        return {};
      },
    }),
    defineRoute({
      ...shareFacts(context),
      method: 'post',
      path: '/me/mfa/recovery-codes',
      operation: operation(context, 'renew', 'RecoveryCodes'),
      errors: [409, 429],
      summary: 'Draw ten recovery codes; the earlier ones are void',
      description: FRESHNESS,
      reply: { 200: recoveryCodesReply },
      handle: async ({ services, actor, request, locale }) => {
        requireFresh(services, actor);
        return { recovery_codes: await mfa.renewCodes(actor, request, locale) };
      },
    }),
  ];
}
