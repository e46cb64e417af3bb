import { bytes, choice, duration, flag, integer, list, originPattern, type OptionValues } from '../../core/index.js';

export const catalogOptions = {
  maxSpecBytes: bytes(20_971_520, 'Largest OpenAPI document of a product, in bytes or as 20mb.', {
    max: 104_857_600,
  }),
  maxImageBytes: bytes(1_048_576, 'Largest uploaded picture of a product or category, in bytes or as 1mb.', {
    max: 5_242_880,
  }),
  sunsetDays: integer(90, 'Least days from the deprecation of a product, version or operation to its sunset.', {
    max: 3_650,
  }),
  documentSunsetDays: integer(
    0,
    'Least days from a deprecation in a document to its x-sunset, else it counts as breaking; 0 asks for no sunset.',
    { max: 3_650 },
  ),
  closesAtSunset: flag(true, 'Refuse keys from a sunset on without an admin, unless a deprecation says otherwise.'),
  breakingChanges: choice(
    ['warn', 'confirm', 'refuse'],
    'warn',
    'What becomes of a document that breaks callers of the one that it replaces: it is taken and told, needs a confirmation with a reason, or needs a version of its own.',
  ),
  draftsChanges: flag(
    true,
    'Draft an entry of the changelog from what a document changes for callers, for a person to edit and to publish.',
  ),
  tryItOrigins: list([], 'Origins that the documentation may send requests to (connect-src).', {
    pattern: originPattern('https://api.example.com'),
  }),
  tryItProxy: {
    origins: list(
      [],
      'Origins to which the portal itself sends requests for signed-in developers, for APIs that take none from web pages (CORS). Private ones also need outbound.allow.',
      { pattern: originPattern('https://api.example.com') },
    ),
    maxBytes: bytes(2_097_152, 'Largest request and answer of the proxy, in bytes or as 2mb.', { max: 20_971_520 }),
    timeout: duration(20, 'How long an API may take to answer the proxy.', { max: 60 }),
    perMinute: integer(30, 'Requests that one account may send through the proxy in a minute.', { min: 1 }),
  },
};

export type CatalogConfig = OptionValues<typeof catalogOptions>;
