import { choice, duration, flag, list, type OptionValues } from '../../core/index.js';

const DAY_S = 86_400;

export const usageOptions = {
  enabled: flag(true, 'Count the calls that proxies ask about at the verify endpoints.'),
  source: choice(
    ['verify', 'reports'],
    'verify',
    'What tells of allowed calls: checks at the verify endpoints, or, where proxies cache them or make none, reports of proxies.',
  ),
  hours: duration(35 * DAY_S, 'How long calls are kept by the hour, and networks of calls without a key.', {
    unit: 'days',
    min: 4 * DAY_S,
    max: 400 * DAY_S,
  }),
  days: duration(400 * DAY_S, 'How long calls are kept by the day.', {
    unit: 'days',
    min: 4 * DAY_S,
    max: 3_660 * DAY_S,
  }),
  alertAt: list(
    ['80', '100'],
    'At which percentages of a quota developers are told, once in each period; empty: at none.',
    {
      pattern: { regex: /^(?:[1-9]\d?|100)$/, hint: 'a whole number from 1 to 100' },
    },
  ),
  flush: duration(5, 'How often a process writes what it has counted to the database.', { max: 60 }),
};

export type UsageConfig = OptionValues<typeof usageOptions>;
