import { bytes, list, type OptionValues } from '../../kernel/index.js';

export const catalogOptions = {
  maxSpecBytes: bytes(20_971_520, 'Largest OpenAPI document of a product, in bytes or as 20mb.', {
    max: 104_857_600,
  }),
  tryItOrigins: list([], 'Origins that the documentation may send requests to (connect-src).', {
    pattern: { regex: /^https?:\/\/[^\s/?#*@]+$/, hint: 'exact origins such as https://api.example.com' },
  }),
};

export type CatalogConfig = OptionValues<typeof catalogOptions>;
