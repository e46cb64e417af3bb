import { choice, duration, integer, list, map, type OptionValues } from '../../core/index.js';

const DAY_S = 86_400;

export const teamOptions = {
  creation: choice(
    ['developers', 'admins'],
    'developers',
    'Who makes teams; where admins do, developers see nothing of teams before they are in one.',
  ),
  perDeveloper: integer(20, 'Teams that one developer may be an owner of.', { min: 1, max: 1_000 }),
  members: integer(200, 'Members of a team, unless an admin sets another number for it.', { min: 1, max: 100_000 }),
  apps: integer(500, 'Apps of a team, unless an admin sets another number for it.', { min: 1, max: 100_000 }),
  keys: integer(5_000, 'Keys of the apps of a team, unless an admin sets another number for it.', {
    min: 1,
    max: 1_000_000,
  }),
  invitations: duration(7 * DAY_S, 'How long an invitation can be accepted.', {
    unit: 'days',
    min: 3_600,
    max: 7 * DAY_S,
  }),
  publicDomains: list(
    [],
    'Further mail hosts where anybody gets an address, beside the well-known ones: no team can list them as its domain.',
  ),
  roles: map<readonly string[]>(
    'Further roles in teams, and what they may do: `{ billing: ["team.view", "usage.view"] }`. The four that ship cannot be changed.',
  ),
};

export type TeamsConfig = OptionValues<typeof teamOptions>;
