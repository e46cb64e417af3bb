import { list, type OptionValues } from '../core/index.js';

export const outboundOptions = {
  allow: list(
    [],
    'Hosts or CIDR blocks that URLs typed by users may reach although private, on any port and by plain http.',
    {
      pattern: {
        regex: /^[A-Za-z0-9.:_-]+(\/\d{1,3})?$/,
        hint: 'host names or CIDR blocks such as specs.internal or 10.1.0.0/16',
      },
    },
  ),
};

export type OutboundConfig = OptionValues<typeof outboundOptions>;
