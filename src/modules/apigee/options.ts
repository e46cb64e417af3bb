import { choice, integer, list, text, type OptionValues } from '../../core/option.js';
import type { DriverCheck } from '../../gateway/index.js';

export const apigeeOptions = {
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
  environments: list(
    [],
    'Environments whose calls are read from Apigee’s analytics and shown as usage; without any, none are.',
    { pattern: { regex: /^[a-z][a-z0-9-]{0,63}$/, hint: 'the name of an environment such as prod' } },
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
};

export type ApigeeConfig = OptionValues<typeof apigeeOptions>;

const ENDPOINTS = { x: 'https://apigee.googleapis.com', edge: 'https://api.enterprise.apigee.com' };

export function deriveApigee({ platform }: ApigeeConfig) {
  return { endpoint: ENDPOINTS[platform] };
}

export function checkApigee(apigee: ApigeeConfig, context: DriverCheck): void {
  const { isProduction, fault, unsafe } = context;
  if (apigee.organization === '') {
    fault('organization', 'is required with gateway.driver apigee', 'set the name of the organization');
  }
  checkSignIn(apigee, context);
  for (const name of ['endpoint', 'tokenUrl', 'metadataUrl'] as const) {
    const url = apigee[name];
    if (url !== '' && !/^https?:\/\/[^\s/]/i.test(url)) {
      fault(name, 'must be an https URL', 'write it with its scheme');
    } else if (isProduction && name !== 'metadataUrl' && url.startsWith('http:')) {
      unsafe(name, 'sends credentials over plain http', 'use https');
    }
  }
  if (isProduction && apigee.token !== '') {
    unsafe('token', 'is a fixed token, which ends within the hour', 'use credentialsFile or username');
  }
}

function checkSignIn(apigee: ApigeeConfig, { fault }: DriverCheck): void {
  if (apigee.credentials !== '' && !isServiceAccount(apigee.credentials)) {
    const what = 'must be the JSON of a service account with client_email and private_key';
    fault('credentials', what, 'paste the whole file, or use gateway.apigee.credentialsFile');
  }
  if (apigee.token !== '') return;
  if (apigee.platform === 'x') {
    if (apigee.credentialsFile !== '' || apigee.credentials !== '' || apigee.metadataUrl !== '') return;
    const what = 'or gateway.apigee.credentials or .metadataUrl is required for platform x';
    fault('credentialsFile', what, 'set the path of the service account’s JSON key');
    return;
  }
  if (apigee.refreshToken !== '') {
    if (apigee.tokenUrl !== '') return;
    fault('tokenUrl', 'is required with a refresh token', 'set https://login.apigee.com/oauth/token');
    return;
  }
  if (apigee.username === '') fault('username', 'is required for platform edge', 'set it');
  if (apigee.password === '') fault('password', 'is required for platform edge', 'set it');
}

function isServiceAccount(json: string): boolean {
  try {
    const account: unknown = JSON.parse(json);
    return typeof account === 'object' && account !== null && 'client_email' in account && 'private_key' in account;
  } catch {
    return false;
  }
}
