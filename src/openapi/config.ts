import { flag, list, path, type OptionValues } from '../core/index.js';

export const docsOptions = {
  enabled: flag(true, 'Serve the interactive documentation of the API; never without portalApi.enabled.'),
  path: path('/docs', 'Where it is served.'),
  openapi: flag(true, 'Offer openapi.json and openapi.yaml.'),
  postman: flag(true, 'Offer the Postman collection.'),
  contexts: list(['consumer', 'admin'], 'Parts of the API that anonymous visitors see.', {
    choices: ['consumer', 'admin'],
  }),
  servers: list([], 'Server URLs in the document.', { derived: 'the relative portalApi.prefix' }),
};

export type DocsConfig = OptionValues<typeof docsOptions>;
