import { Joi, type SettingFault } from '../../index.js';

/** How admins sign in through a provider. Accounts are never created; the options restrict access further. */
export interface AdminSsoInput {
  /** Claim with the person's groups. Default `groups`. */
  readonly groupsClaim?: string;
  /** Restricts sign-in to members of one of these groups. */
  readonly requiredGroups?: readonly string[];
  /** Restricts sign-in to addresses of these domains, verified by the provider. */
  readonly domains?: readonly string[];
  /** Group → role. Assigned and removed at every sign-in; an admin's other roles stay. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Whether `roles` may assign a role that bypasses all permission checks. Default false. */
  readonly allowBypassRoles?: boolean;
}

/** Which groups of a provider are places in teams. */
export interface TeamGroupsInput {
  /** Claim with the person's groups. Default `groups`. */
  readonly groupsClaim?: string;
  /**
   * Group → id of a team, and the role there (default `developer`). Places are given and taken at every sign-in; the first group
   * that somebody is in decides. A role that no group of the team gives is left alone. By id: anybody may name a team alike.
   */
  readonly groups: Readonly<Record<string, { readonly team: number; readonly role?: string }>>;
}

/** The same with its defaults. */
export interface TeamGroups {
  readonly groupsClaim: string;
  readonly groups: Readonly<Record<string, { readonly team: number; readonly role: string }>>;
}

/** A provider in `oidc.providers`. */
export interface ProviderInput {
  /** Exactly as in the provider's discovery document and ID tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** For the button: "Sign in with …". Default: the name. */
  readonly label?: string;
  /** Default `openid email profile`. */
  readonly scopes?: readonly string[];
  /**
   * Origins of this provider that are not public https addresses, such as `https://login.internal`. All its other endpoints
   * must be public.
   */
  readonly internalOrigins?: readonly string[];
  /** Accepted signature algorithms of ID tokens. */
  readonly algorithms?: readonly string[];
  /** Page of your own front end that passes `code` and `state` to the API. Default: the theme's callback. */
  readonly redirectUri?: string;
  /** Whether developers may sign in. Default true. */
  readonly developers?: boolean;
  /** Whether accounts are created for new developers. Default true. */
  readonly register?: boolean;
  /** Domains of addresses that the provider is trusted to verify; all if empty. */
  readonly domains?: readonly string[];
  readonly admins?: AdminSsoInput;
  readonly teams?: TeamGroupsInput;
}

type Optional = 'clientSecret' | 'redirectUri' | 'admins' | 'teams';

/** A provider with its defaults. */
export type Provider = Required<Omit<ProviderInput, Optional>> &
  Pick<ProviderInput, 'clientSecret' | 'redirectUri'> & {
    readonly name: string;
    /** null: not for admins. */
    readonly admins: Required<AdminSsoInput> | null;
    /** null: groups give no places in teams. */
    readonly teams: TeamGroups | null;
  };

/** Asymmetric ones only: with a client secret as key, whoever knows that secret could sign (S84). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

const strings = Joi.array().items(Joi.string().max(255)).default([]);
const address = Joi.string()
  .uri({ scheme: ['https', 'http'] })
  .max(2_000);

const schema = Joi.object<Omit<Provider, 'name'>>({
  issuer: address.required(),
  clientId: Joi.string().max(255).required(),
  clientSecret: Joi.string().max(1_000),
  label: Joi.string().max(64).default(Joi.ref('$name')),
  scopes: Joi.array().items(Joi.string().max(100)).default(['openid', 'email', 'profile']),
  algorithms: Joi.array()
    .items(Joi.string().valid(...ALGORITHMS))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  internalOrigins: Joi.array().items(Joi.string().max(2_000)).default([]),
  redirectUri: address,
  developers: Joi.boolean().default(true),
  register: Joi.boolean().default(true),
  domains: strings,
  admins: Joi.object({
    groupsClaim: Joi.string().max(255).default('groups'),
    requiredGroups: strings,
    domains: strings,
    roles: Joi.object().pattern(Joi.string().max(255), Joi.string().max(100)).default({}),
    allowBypassRoles: Joi.boolean().default(false),
  }).default(null),
  teams: Joi.object({
    groupsClaim: Joi.string().max(255).default('groups'),
    groups: Joi.object()
      .pattern(
        Joi.string().max(255),
        Joi.object({
          team: Joi.number().integer().positive().required(),
          role: Joi.string().max(32).default('developer'),
        }),
      )
      .required(),
  }).default(null),
});

/** Faults of the configured providers, without their secrets. */
export function providerFaults(stated: Readonly<Record<string, unknown>>): SettingFault[] {
  const faults = Object.entries(stated).flatMap(([name, input]): SettingFault[] => {
    const setting = `providers.${name}`;
    if (!NAME.test(name)) return [{ setting, what: 'must be named with small letters, digits and dashes' }];
    const judged = schema.validate(input, { abortEarly: false, convert: false, context: { name } });
    if (judged.error) {
      const lines = judged.error.details.map(({ path, message }) => ({
        path: path.join('.'),
        what: message.replace(/^"[^"]*" /, ''),
      }));
      return lines.map(({ path, what }) => ({ setting: path === '' ? setting : `${setting}.${path}`, what }));
    }
    const { issuer, scopes, internalOrigins } = judged.value;
    if (!isSafe(issuer)) {
      return [{ setting: `${setting}.issuer`, what: 'must be an https address; http is for this machine only' }];
    }
    if (!internalOrigins.every(isOrigin)) {
      const what = 'must list origins such as https://login.internal:8443; http is for this machine only';
      return [{ setting: `${setting}.internalOrigins`, what }];
    }
    return scopes.includes('openid') ? [] : [{ setting: `${setting}.scopes`, what: 'must include openid' }];
  });
  return [...faults, ...findRepeated(stated)];
}

// Issuer and redirect URI tell providers apart when an answer comes back (S83).
function findRepeated(stated: Readonly<Record<string, unknown>>): SettingFault[] {
  return (['issuer', 'redirectUri'] as const).flatMap((field) => {
    const seen = new Set<unknown>();
    return Object.entries(stated).flatMap(([name, input]) => {
      const value = (input as Partial<ProviderInput> | null)?.[field];
      if (value === undefined) return [];
      const fault = { setting: `providers.${name}.${field}`, what: 'is that of another provider too' };
      return seen.size === seen.add(value).size ? [fault] : [];
    });
  });
}

/** @param stated must be without faults */
export function readProviders(stated: Readonly<Record<string, ProviderInput>>): readonly Provider[] {
  return Object.entries(stated).map(([name, input]) => {
    const settings: Omit<Provider, 'name'> = Joi.attempt(input, schema, { context: { name } });
    return { name, ...settings };
  });
}

/** Plain http is for this machine only. */
function isSafe(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || isLoopback(hostname);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && isSafe(text);
}

/**
 * Origins that are allowed although not public: those that the operator listed, and the issuer's own if it runs on this
 * machine.
 */
export function listTrustedOrigins({ issuer, internalOrigins }: Provider): readonly string[] {
  const { origin, hostname } = new URL(issuer);
  return isLoopback(hostname) ? [origin, ...internalOrigins] : internalOrigins;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
