import { choice, flag, path, text, type NetworkPrefixes, type OptionValues } from '../core/index.js';

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

export const KEY_ENVIRONMENTS = ['live', 'test'] as const;

export const keyOptions = {
  prefix: text('portal', 'How the keys begin that the local gateway makes from now on; earlier ones stay valid.', {
    pattern: {
      // An underscore would make `acme_live` of `acme`. Stripe's prefixes would raise false alarms in secret scanners.
      regex: /^(?!(?:pk|sk|rk)$)[a-z][a-z0-9]{1,15}$/,
      hint: '2 to 16 lower-case letters and digits such as acme, and not pk, sk or rk, which are those of Stripe',
    },
  }),
  environment: choice(KEY_ENVIRONMENTS, 'live', 'What stands after the prefix, to tell keys of a test portal apart.', {
    derived: 'live in production, else test',
  }),
};

export const verifyOptions = {
  enabled: flag(true, 'Answer API gateways that ask whether a key is good.', { derived: 'true with the local driver' }),
  path: path('/gateway/verify', 'Where they ask.'),
  secret: text('', 'Value of X-Portal-Verify-Secret that gateways must send; empty answers loopback peers only.', {
    secret: true,
  }),
  ipv4Prefix: choice(['32', '24'], '32', 'How many bits of an IPv4 address tell callers without a key apart.'),
  ipv6Prefix: choice(['64', '48'], '64', 'How many bits of an IPv6 address tell callers without a key apart.'),
};

export type KeysConfig = OptionValues<typeof keyOptions>;

export const defaultKeys: KeysConfig = {
  prefix: keyOptions.prefix.default,
  environment: keyOptions.environment.default,
};

export type VerifyConfig = OptionValues<typeof verifyOptions>;

/** How much of an address tells callers without a key apart. */
export function prefixesOf({ ipv4Prefix, ipv6Prefix }: VerifyConfig): NetworkPrefixes {
  return { ipv4: ipv4Prefix === '32' ? 32 : 24, ipv6: ipv6Prefix === '64' ? 64 : 48 };
}
