import { duration, flag, text, type OptionValues } from '../../core/index.js';

const DAY_S = 86_400;

export const contentOptions = {
  dir: text(
    'content',
    'Folder of guides and news as Markdown files, relative to the host project; without the folder there are none.',
  ),
  feedback: flag(true, 'Ask readers of guides whether the page was helpful.'),
  keepFeedback: duration(
    365 * DAY_S,
    'How long what readers write about guides is kept for admins, without who wrote it.',
    {
      unit: 'days',
      min: DAY_S,
      max: 3_650 * DAY_S,
    },
  ),
};

export type ContentConfig = OptionValues<typeof contentOptions>;
