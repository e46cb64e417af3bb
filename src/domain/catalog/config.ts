import { bytes, list, originPattern, type OptionValues } from '../../core/index.js';

export const catalogOptions = {
  maxSpecBytes: bytes(20_971_520, 'Largest OpenAPI document of a product, in bytes or as 20mb.', {
    max: 104_857_600,
  }),
  maxImageBytes: bytes(1_048_576, 'Largest uploaded picture of a product or category, in bytes or as 1mb.', {
    max: 5_242_880,
  }),
  tryItOrigins: list([], 'Origins that the documentation may send requests to (connect-src).', {
    pattern: originPattern('https://api.example.com'),
  }),
};

export type CatalogConfig = OptionValues<typeof catalogOptions>;
