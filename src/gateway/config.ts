import { choice, flag, integer, path, text, type OptionValues } from '../core/index.js';

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
    metadataUrl: text(
      '',
      'x: where a machine of Google gets the tokens of its own service account, instead of a key: ' +
        'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token.',
    ),
    username: text('', 'edge: name of the machine user.'),
    password: text('', 'edge: password of the machine user.', { secret: true }),
    tokenUrl: text(
      '',
      'edge: OAuth token endpoint, https://login.apigee.com/oauth/token or that of a SAML zone; empty sends Basic authentication.',
    ),
    refreshToken: text('', 'edge: a refresh token to begin with, for machine users that have no password.', {
      secret: true,
    }),
    clientId: text('edgecli', 'edge: OAuth client of the token endpoint.'),
    clientSecret: text('edgeclisecret', 'edge: its secret; the default is the public one of Apigee’s own tools.', {
      secret: true,
    }),
    token: text('', 'An access token to use as it is, for a short try; nothing renews it.', { secret: true }),
    attribute: text(
      'portalkit-id',
      'Attribute with the portal’s id of what it made; `<attribute>-installation` beside it says which portal that is.',
      { pattern: { regex: /^[A-Za-z][A-Za-z0-9._-]{0,63}$/, hint: 'a name such as portalkit-id' } },
    ),
    timeout: integer(3_000, 'Longest wait for one call, in milliseconds; after one in vain the next is shorter.', {
      min: 100,
      max: 7_000,
    }),
    callsPerMinute: integer(
      3_000,
      'Most calls that one process makes in a minute; X allows an organization 6000, shared by all its replicas.',
      { min: 60, max: 600_000 },
    ),
  },
};

export const verifyOptions = {
  enabled: flag(true, 'Answer API gateways that ask whether a key is good.', { derived: 'true with the local driver' }),
  path: path('/gateway/verify', 'Where they ask.'),
  secret: text('', 'Value of X-Portal-Verify-Secret that gateways must send; empty answers loopback peers only.', {
    secret: true,
  }),
};

export type GatewayConfig = OptionValues<typeof gatewayOptions>;
export type VerifyConfig = OptionValues<typeof verifyOptions>;
