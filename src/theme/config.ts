import { choice, duration, flag, list, originPattern, path, text, type OptionValues } from '../core/index.js';

const locale = { regex: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, hint: 'language tags such as en or pt-BR' };

export const themeOptions = {
  enabled: flag(true, 'Serve the web theme.'),
  routePrefix: path('portal', 'Where the pages live.'),
  sessionKey: text('theme.user_id', 'Session field that holds the id of the user.', {
    pattern: { regex: /^[A-Za-z_][\w.-]{0,63}$/, hint: 'a name such as theme.user_id' },
  }),
  // Each but the first is a sheet `preset-<name>.css`.
  preset: choice(
    ['clear', 'paper', 'graphite'],
    'clear',
    'Look of the pages: clear, paper (warm, with serifs) or graphite (plain and square).',
  ),
  brandColor: text(undefined, 'Colour of buttons, links and marks; the setting theme.brand_color wins over it.', {
    pattern: { regex: /^#[0-9a-fA-F]{6}$/, hint: 'six hexadecimal digits such as #0f766e' },
  }),
  viewsDir: text('theme', 'Folder of the published views, relative to the host project.'),
  locale: text('en', 'Default locale, and the fallback of missing translations.', { pattern: locale }),
  locales: list(['en', 'ar'], 'Locales that visitors may choose.', { pattern: locale }),
  imageHosts: list([], 'Origins that pages may load images from (img-src).', {
    pattern: originPattern('https://images.example.com'),
  }),
};

export const sessionOptions = {
  store: choice(['database', 'redis', 'memory'], 'database', 'Where web sessions live; memory is for tests.'),
  idle: duration(1_800, 'A session ends after this long without a request; a bare number counts minutes.', {
    unit: 'minutes',
    min: 60,
  }),
  absolute: duration(43_200, 'A session ends after this long in any case; a bare number counts hours.', {
    unit: 'hours',
    min: 300,
  }),
};

export type ThemeConfig = OptionValues<typeof themeOptions>;
export type SessionConfig = OptionValues<typeof sessionOptions>;
