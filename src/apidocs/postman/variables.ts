export type PostmanContext = 'developer' | 'admin';

interface AccountVariable {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** Left out of collections without requests of this kind. */
  readonly context?: PostmanContext;
}

const accountVariables = (context: PostmanContext, email: string): AccountVariable[] => [
  { context, key: `${context}_email`, value: email, description: `Signs in as ${an(context)}.` },
  {
    context,
    key: `${context}_password`,
    value: 'plum ladder kettle 42',
    description: `Signs in as ${an(context)}.`,
  },
  { context, key: `${context}_token`, value: '', description: 'Access token; signing in sets it.' },
  { context, key: `${context}_refresh_token`, value: '', description: 'Refresh token; signing in sets it.' },
];

/** Who works with the collection. */
export const ACCOUNT_VARIABLES: readonly AccountVariable[] = [
  ...accountVariables('developer', 'lin@example.com'),
  ...accountVariables('admin', 'admin@example.com'),
  { key: 'mail_token', value: '', description: 'Token of the link in a mail.' },
];

function an(context: PostmanContext): string {
  return context === 'admin' ? 'an admin' : 'a developer';
}

export function tokenOf(context: PostmanContext): string {
  return `${context}_token`;
}

/**
 * A body whose account, tokens and passwords are the variables of whoever works with the collection.
 * @param example as the document has it
 */
export function withVariables(example: unknown, path: string, context: PostmanContext): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  const isOwn = /(?:\/auth\/|\/me(?:\/|$))/.test(path);
  const own: Readonly<Record<string, string>> = {
    email: `{{${context}_email}}`,
    password: `{{${context}_password}}`,
    password_confirmation: `{{${context}_password}}`,
    current_password: `{{${context}_password}}`,
    refresh_token: `{{${context}_refresh_token}}`,
    token: '{{mail_token}}',
  };
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, isOwn && Object.hasOwn(own, name) ? own[name] : value]),
  );
}
