import { defineCommand } from '../command.js';
import { publishFiles, PUBLISH_OPTIONS } from '../project/publish.js';

export const themePublish = defineCommand({
  name: 'theme:publish',
  summary: 'copy views into the project, to change them',
  description:
    'Copies pages, partials, the layout, assets, mails and words into the folder that theme.viewsDir names, the same as ' +
    'publish theme. Publish the little that you change: a published file no longer follows upgrades, and theme:diff ' +
    'shows what it misses.',
  example: [
    'portal theme:publish --only partials/product/card.hbs',
    'portal theme:publish --only pages/products mail lang/en.json',
    'portal theme:publish',
  ],
  options: PUBLISH_OPTIONS,
  reports: true,
  run: ({ cwd, ui, options }) => publishFiles('theme', { cwd, ui, ...options }),
});
