import { choice, flag, list, path, text, type OptionValues } from '../core/index.js';

export const consoleOptions = {
  enabled: flag(true, 'Serve the admin console.'),
  path: path('admin', 'Where the pages of the console live.'),
  allowedIps: list(
    [],
    'Addresses and networks that may see the console, for example 10.0.0.0/8; empty means everyone. They are those behind app.trustProxy.',
    {
      pattern: {
        regex:
          /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/(?:[0-9]|[12][0-9]|3[0-2]))?|[0-9a-fA-F:]{2,39}(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)$/,
        hint: 'addresses or networks such as 192.0.2.7 or 2001:db8::/32',
      },
    },
  ),
  environment: text(
    '',
    'Name of this environment on every page of the console, for example Production; empty for none.',
    {
      pattern: { regex: /^[^\p{C}]{0,30}$/u, hint: 'at most 30 characters' },
    },
  ),
  managedRecords: choice(
    ['warn', 'forbid'],
    'warn',
    'What admins meet at records that files manage (portal apply): a warning, or no change in console and API; service tokens and the command line change them.',
  ),
  environmentColour: choice(['red', 'amber', 'green', 'blue', 'grey'], 'grey', 'Colour of that name.'),
};

export type ConsoleConfig = OptionValues<typeof consoleOptions>;
