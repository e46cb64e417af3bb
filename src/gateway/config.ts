import { choice, flag, integer, text, type OptionValues } from '../kernel/index.js';

export const gatewayOptions = {
  driver: text('local', 'local, apigee, or the name of a driver of the host’s own, configured under gateway.<name>.', {
    pattern: { regex: /^[a-z][a-z0-9-]*$/, hint: 'a driver name such as local' },
  }),
  apigee: {
    platform: choice(['x', 'edge'], 'x', 'x for Apigee X and hybrid, edge for Apigee Edge and private cloud.'),
    organization: text('', 'Name of the Apigee organization.'),
    endpoint: text('', 'Root of the management API, for regional hosts and private cloud.', {
      derived: 'https://apigee.googleapis.com for x, https://api.enterprise.apigee.com for edge',
    }),
    credentialsFile: text('', 'x: path of a service account’s JSON key, relative to the host project.'),
    credentials: text('', 'x: the JSON of a service account’s key itself.', { secret: true }),
    username: text('', 'edge: name of the machine user.'),
    password: text('', 'edge: password of the machine user.', { secret: true }),
    tokenUrl: text('', 'edge: OAuth token endpoint; empty sends Basic authentication.'),
    timeout: integer(5_000, 'Longest wait for one call, in milliseconds.', { min: 100, max: 60_000 }),
  },
};

export const verifyOptions = {
  enabled: flag(true, 'Answer API gateways that ask whether a key is good.', { derived: 'true with the local driver' }),
  path: text('/gateway/verify', 'Where they ask.', {
    pattern: { regex: /^(\/[A-Za-z0-9._~-]+)+$/, hint: 'a path that starts with a slash and does not end with one' },
  }),
  secret: text('', 'Value of X-Portal-Verify-Secret that gateways must send; empty answers loopback peers only.', {
    secret: true,
  }),
};

export type GatewayConfig = OptionValues<typeof gatewayOptions>;
export type VerifyConfig = OptionValues<typeof verifyOptions>;
