import type { RemoteClient } from '../../remote/remote-client.js';
import { basicAuthorization } from './sign-in.js';
import { requestToken, TokenRefusedError } from './token-endpoint.js';
import type { AccessToken } from './token-sign-in.js';

export interface EdgeSignIn {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Empty: there is nothing but the refresh token. */
  readonly username: string;
  readonly password: string;
  readonly refreshToken: string;
}

/** Signs in at Edge with a password, and from then on with what the last answer gave for renewal. */
export function edgeTokens(settings: EdgeSignIn, remote: RemoteClient): () => Promise<AccessToken> {
  const { tokenUrl, username, password } = settings;
  const headers = { authorization: basicAuthorization(settings.clientId, settings.clientSecret) };
  let refreshToken = settings.refreshToken;

  const request = async (form: Record<string, string>): Promise<AccessToken> => {
    const token = await requestToken(remote, tokenUrl, { form, headers });
    refreshToken = token.refreshToken ?? refreshToken;
    return token;
  };

  return async () => {
    if (refreshToken !== '') {
      try {
        return await request({ grant_type: 'refresh_token', refresh_token: refreshToken });
      } catch (error) {
        if (!(error instanceof TokenRefusedError) || username === '') throw error;
        refreshToken = '';
      }
    }
    return request({ grant_type: 'password', username, password });
  };
}
