import { choice, flag, type OptionValues } from '../../kernel/index.js';

export const accountOptions = {
  registration: flag(true, 'Developers may sign up by themselves.'),
  defaultStatus: choice(['active', 'inactive', 'pending'], 'active', 'Status of a developer who signed up.'),
  verifyEmail: flag(false, 'A developer must open the link of a mail before the first login.'),
};

export type AccountConfig = OptionValues<typeof accountOptions>;
