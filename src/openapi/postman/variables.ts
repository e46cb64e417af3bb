export type PostmanContext = 'developer' | 'admin';

interface AccountVariable {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** Omitted from collections without requests of this context. */
  readonly context?: PostmanContext;
}

const tokens = (context: PostmanContext): AccountVariable[] => [
  { context, key: `${context}_token`, value: '', description: 'Access token; signing in sets it.' },
  { context, key: `${context}_refresh_token`, value: '', description: 'Refresh token; signing in sets it.' },
];

/** Set anew at the start of each run. */
export const RUN_VARIABLE = 'run';

/** Accounts of the person running the collection. */
export const ACCOUNT_VARIABLES: readonly AccountVariable[] = [
  {
    key: RUN_VARIABLE,
    value: 'm1',
    description: 'Is part of the names of what the collection creates; a run begins with a new one.',
  },
  {
    context: 'developer',
    key: 'developer_email',
    value: 'developer-{{run}}@example.com',
    description: 'Registers and signs in as a developer.',
  },
  {
    context: 'developer',
    key: 'developer_password',
    value: 'plum ladder kettle 42',
    description: 'Registers and signs in as a developer.',
  },
  ...tokens('developer'),
  { context: 'admin', key: 'admin_email', value: 'admin@example.com', description: 'Signs in as an admin.' },
  {
    context: 'admin',
    key: 'admin_password',
    value: '',
    description: 'To be filled in: the password that the admin was created with.',
  },
  ...tokens('admin'),
];

interface OutsideVariable {
  readonly key: string;
  readonly description: string;
}

/** Field of a body or query about the own account → a variable that only a person can fill in. */
const BROUGHT: Readonly<Record<string, OutsideVariable>> = {
  token: { key: 'mail_token', description: 'Token of the link in a mail.' },
  challenge_token: { key: 'challenge_token', description: 'Of a login that asked for a second factor.' },
  code: { key: 'code', description: 'From an authenticator app, a mail or an identity provider.' },
  state: { key: 'state', description: 'What the identity provider sent back.' },
  provider: { key: 'provider', description: 'An identity provider of the configuration.' },
};

/** Of a plan that the product on a key is to have; one that the run makes is not offered yet. */
const PLAN: OutsideVariable = { key: 'plan', description: 'Slug of a plan that the product of the key offers.' };

/** Which is to get an app. */
const TEAM: OutsideVariable = { key: 'other_team', description: 'Id of another team of the developer.' };

/** Of which limits are raised, or quotas reset. */
const PRODUCT: OutsideVariable = {
  key: 'planned_product',
  description: 'Slug of a product that a key has with a plan.',
};

/** Of an endpoint: it has to echo a challenge. */
const RECEIVER: OutsideVariable = {
  key: 'webhook_url',
  description: 'Address of a receiver of webhooks that echoes challenges.',
};

/** Variables that only a person can fill in. */
export const OUTSIDE_VARIABLES: readonly OutsideVariable[] = [...Object.values(BROUGHT), PLAN, PRODUCT, TEAM, RECEIVER];

export function tokenOf(context: PostmanContext): string {
  return `${context}_token`;
}

function isOfOwnAccount(path: string): boolean {
  return /(?:\/auth\/|\/me(?:\/|$))/.test(path) && !path.startsWith('/me/teams/');
}

/** The variable for a field of the account of the person who runs the collection. */
export function variableFor(name: string, path: string, context: PostmanContext): string | undefined {
  if (name === 'plan' && /\/(?:move-)?plan$/.test(path)) return PLAN.key;
  if (name === 'product' && /\/(?:overrides|quota-resets)$/.test(path)) return PRODUCT.key;
  if (name === 'url' && /\/webhooks(?:\/\{id\})?$/.test(path)) return RECEIVER.key;
  if (name === 'team' && path.endsWith('/transfers')) return TEAM.key;
  if (!isOfOwnAccount(path)) return undefined;
  const own: Readonly<Record<string, string>> = {
    email: `${context}_email`,
    password: `${context}_password`,
    password_confirmation: `${context}_password`,
    current_password: `${context}_password`,
    refresh_token: `${context}_refresh_token`,
  };
  if (Object.hasOwn(own, name)) return own[name];
  return Object.hasOwn(BROUGHT, name) ? BROUGHT[name]?.key : undefined;
}

/**
 * A body in which account, tokens and passwords are variables of the person who runs the collection.
 * @param example from the document
 */
export function withVariables(example: unknown, path: string, context: PostmanContext): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  const entries = Object.entries(example as Readonly<Record<string, unknown>>);
  // With a password, no code is needed.
  const sent = 'password' in example ? entries.filter(([name]) => name !== 'code') : entries;
  return Object.fromEntries(
    sent.map(([name, value]) => {
      const variable = variableFor(name, path, context);
      return [name, variable === undefined ? value : `{{${variable}}}`];
    }),
  );
}

/** Variables that a text mentions. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
}
