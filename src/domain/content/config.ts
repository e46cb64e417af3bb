import { text, type OptionValues } from '../../core/index.js';

export const contentOptions = {
  dir: text(
    'content',
    'Folder of guides and news as Markdown files, relative to the host project; without the folder there are none.',
  ),
};

export type ContentConfig = OptionValues<typeof contentOptions>;
