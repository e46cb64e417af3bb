import { flag, path, text, type OptionValues } from '../core/index.js';

/** @param drivers names of those that ship */
export const gatewayOptions = (drivers: readonly string[]) => ({
  driver: text(
    'local',
    `${drivers.join(', ')}, or the name of a driver of the host’s own, configured under gateway.<name>.`,
    {
      pattern: { regex: /^[a-z][a-z0-9-]*$/, hint: 'a driver name such as local' },
    },
  ),
});

export const verifyOptions = {
  enabled: flag(true, 'Answer API gateways that ask whether a key is good.', { derived: 'true with the local driver' }),
  path: path('/gateway/verify', 'Where they ask.'),
  secret: text('', 'Value of X-Portal-Verify-Secret that gateways must send; empty answers loopback peers only.', {
    secret: true,
  }),
};

export type VerifyConfig = OptionValues<typeof verifyOptions>;
