import { option, type OptionValues } from '../../index.js';

const WHO = 'who has none enrols at the next login';

export const mfaOptions = {
  developers: option.choice(['optional', 'required'], 'optional', `Whether developers need a second factor; ${WHO}.`),
  admins: option.choice(['optional', 'required'], 'optional', `Whether admins need a second factor; ${WHO}.`),
  issuer: option.text('', 'How authenticator apps name this portal.', {
    derived: 'app.name',
    pattern: { regex: /^[^:\u0000-\u001f]{0,64}$/, hint: 'up to 64 characters without a colon' },
  }),
};

export type MfaConfig = OptionValues<typeof mfaOptions>;
