import { choice, duration, flag, integer, type OptionValues } from '../../core/index.js';

export const appsOptions = {
  approval: choice(['auto', 'manual'], 'auto', 'With manual a new app waits as pending until an admin approves it.'),
  selfApproval: flag(false, 'Developers may approve their own apps, credentials and products.'),
  keysPerApp: integer(10, 'Most credentials of one app.', { min: 1, max: 100 }),
  keyLifetime: duration(undefined, 'Lifetime of a new key; a bare number counts days.', {
    unit: 'days',
    min: 3_600,
    derived: 'never expires',
  }),
  rotationOverlap: duration(86_400, 'How long the old key works after a rotation when nothing else is asked for.', {
    unit: 'hours',
    min: 0,
    max: 7_776_000,
  }),
};

export type AppsConfig = OptionValues<typeof appsOptions>;
