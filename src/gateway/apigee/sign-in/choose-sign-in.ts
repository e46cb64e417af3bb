import { resolve } from 'node:path';
import type { Clock } from '../../../core/index.js';
import type { GatewayConfig } from '../../config.js';
import type { RemoteClient } from '../../remote/remote-client.js';
import { edgeTokens } from './edge-tokens.js';
import { serviceAccountTokens } from './service-account.js';
import { basicAuthorization, FixedSignIn, type SignIn } from './sign-in.js';
import { requestToken } from './token-endpoint.js';
import { TokenSignIn } from './token-sign-in.js';

/**
 * The way to sign in that the settings ask for.
 * @param root folder that a relative path of the service account's key belongs to
 */
export function chooseSignIn(
  settings: GatewayConfig['apigee'],
  root: string,
  remote: RemoteClient,
  clock: Clock,
): SignIn {
  const { platform, token, username, password, tokenUrl } = settings;
  if (token !== '') return new FixedSignIn(`Bearer ${token}`);
  if (platform === 'x') return new TokenSignIn(googleTokens(settings, root, remote, clock), clock);
  if (tokenUrl === '') return new FixedSignIn(basicAuthorization(username, password));
  return new TokenSignIn(edgeTokens(settings, remote), clock);
}

function googleTokens(settings: GatewayConfig['apigee'], root: string, remote: RemoteClient, clock: Clock) {
  const { credentials, credentialsFile, metadataUrl } = settings;
  if (credentials !== '') return serviceAccountTokens({ json: credentials }, remote, clock);
  if (credentialsFile !== '') return serviceAccountTokens({ file: resolve(root, credentialsFile) }, remote, clock);
  return () => requestToken(remote, metadataUrl, { headers: { 'metadata-flavor': 'Google' } });
}
