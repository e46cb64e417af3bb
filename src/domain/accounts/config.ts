import { choice, flag, list, text, type OptionValues } from '../../core/index.js';

export const accountOptions = {
  registration: flag(true, 'Developers may sign up by themselves.'),
  defaultStatus: choice(['active', 'inactive', 'pending'], 'active', 'Status of a developer who signed up.'),
  verifyEmail: flag(false, 'A developer must open the link of a mail before the first login.'),
  customAttributes: list([], 'Names of the custom attributes that developers and admins may set on an account.', {
    // Users must not write attributes that come from an identity provider (S52).
    pattern: {
      regex: /^(?!oidc_)(?!(?:constructor|prototype)$)[A-Za-z][A-Za-z0-9_]{0,63}$/,
      hint: 'names of letters, digits and _ that do not begin with oidc_',
    },
  }),
  pwnedPasswordsUrl: text(
    undefined,
    'Where new passwords are looked up in known leaks by the first five characters of their SHA-1, for example https://api.pwnedpasswords.com/range (S05).',
    { pattern: { regex: /^https?:\/\/[^\s?#]+$/, hint: 'an address such as https://api.pwnedpasswords.com/range' } },
  ),
};

export type AccountConfig = OptionValues<typeof accountOptions>;
