import { duration, flag, type OptionValues } from '../../core/index.js';

const DAY_S = 86_400;

export const searchOptions = {
  enabled: flag(
    true,
    'One search over products, operations, schemas, guides and changes, as a page, in the API and by Ctrl+K.',
  ),
  keepMisses: duration(90 * DAY_S, 'How long searches without result are kept for admins, without who searched.', {
    unit: 'days',
    min: DAY_S,
    max: 400 * DAY_S,
  }),
};

export type SearchConfig = OptionValues<typeof searchOptions>;
