import { percent } from './reference-serialize.js';
import { isProxied, send, sendByPortal } from './reference-try.js';

// Tokens by OAuth 2.0: the authorization code with PKCE, in a window of the API's own server, client credentials, and new ones for
// those that end. OpenID Connect says where they come from.

const CHANNEL = 'portal-oauth';
const WELL_KNOWN = '/.well-known/openid-configuration';
/** A token that ends so soon may end on its way. */
const SPARE_MS = 30000;
const MOST_SCOPES = 40;

/** Only the web: an address of a document could be a script. */
export const isWeb = (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const encoded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/**
 * The flows of an OpenID provider that run here.
 * @param url of its configuration
 * @throws Error with a key of the words as its message
 */
export async function flowsOf(url, context) {
  const { code, body } = await ask({ method: 'GET', url, headers: [['Accept', 'application/json']], payload: null }, context);
  const said = await jsonOf(body.blob);
  if (code !== 200 || typeof said?.issuer !== 'string') throw failure('oauth-no-configuration', url);
  // Whoever speaks for another issuer could have its codes sent elsewhere (OpenID Connect Discovery 1.0, 4.3).
  if (said.issuer.replace(/\/$/, '') + WELL_KNOWN !== url) throw failure('oauth-other-issuer', said.issuer);
  const grants = listOf(said.grant_types_supported) ?? ['authorization_code'];
  const scopes = (listOf(said.scopes_supported) ?? []).slice(0, MOST_SCOPES).map((name) => ({ name }));
  const [authorizationUrl, tokenUrl] = [said.authorization_endpoint, said.token_endpoint];
  if (!isWeb(tokenUrl)) return [];
  return [
    grants.includes('authorization_code') && isWeb(authorizationUrl) ? { flow: 'authorizationCode', authorizationUrl, tokenUrl, scopes } : null,
    grants.includes('client_credentials') ? { flow: 'clientCredentials', tokenUrl, scopes } : null,
  ].filter(Boolean);
}

/**
 * @param client what was typed: `id`, `secret`, `scopes`; remembers how its token is renewed
 * @returns what the server says of the token
 * @throws Error with a key of the words as its message
 */
export async function tokenBy(flow, client, context) {
  client.renewal = null;
  const token = await (flow.flow === 'authorizationCode' ? byCode(flow, client, context) : byCredentials(flow, client, context));
  remember(flow, client, token);
  return token;
}

function remember(flow, client, { refresh_token: token, expires_in: seconds }) {
  if (typeof token !== 'string' || !Number.isFinite(Number(seconds))) return;
  const url = isWeb(flow.refreshUrl) ? flow.refreshUrl : flow.tokenUrl;
  client.renewal = { flow, url, token, until: Date.now() + Number(seconds) * 1000 };
}

/** Says who is told of a token that was renewed, and of one that was not. */
export function renewTokens(client, show, tell) {
  client.told = { show, tell };
}

/** Has a new token filled in for each that has ended, where the server gave the means. */
export async function renewEnded(clients, context) {
  for (const client of clients) {
    const { renewal, told } = client;
    if (!renewal || renewal.until - Date.now() > SPARE_MS) continue;
    client.renewal = null;
    try {
      const token = await askToken(renewal.url, { grant_type: 'refresh_token', refresh_token: renewal.token }, client, context);
      // A server that gives no other one keeps to the first (RFC 6749, section 6).
      remember(renewal.flow, client, { refresh_token: renewal.token, ...token });
      told.show(token);
    } catch (error) {
      told.tell(error);
    }
  }
}

/** A failure whose message is a key of the words. */
function failure(key, detail = '', cause = undefined) {
  return Object.assign(new Error(key, { cause }), { detail: String(detail).slice(0, 300) });
}

async function byCode({ authorizationUrl, tokenUrl }, client, context) {
  // Browsers compute hashes on encrypted pages alone.
  if (!crypto.subtle) throw failure('oauth-insecure');
  const [verifier, state, nonce] = [random(), random(), random()];
  const challenge = encoded(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  const redirect = new URL(context.settings.oauthCallback, location.href).href;
  const address = new URL(authorizationUrl);
  const asked = {
    ...{ response_type: 'code', client_id: client.id.trim(), redirect_uri: redirect, state },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    ...(client.scopes.size > 0 && { scope: [...client.scopes].join(' ') }),
    ...(client.scopes.has('openid') && { nonce }),
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  const answered = answerFor(state, context);
  window.open(address, '_blank', 'popup,noopener,noreferrer,width=520,height=720');
  const { code, error } = await answered;
  if (error || !code) throw failure('oauth-refused', error ?? '');
  const fields = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier };
  const token = await askToken(tokenUrl, fields, client, context);
  if (token.id_token !== undefined && asked.nonce && nonceOf(token.id_token) !== nonce) throw failure('oauth-mixed-up');
  return token;
}

/** Waits for the window; whoever asks again gives the earlier one up. */
function answerFor(state, context) {
  context.stopWaiting?.();
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    context.stopWaiting = () => {
      channel.close();
      reject(failure('oauth-given-up'));
    };
    channel.addEventListener('message', ({ data }) => {
      // Of another page, or of nobody who was asked.
      if (data?.state !== state) return;
      channel.postMessage({ taken: state });
      channel.close();
      resolve(data);
    });
  });
}

function byCredentials({ tokenUrl }, client, context) {
  const scope = client.scopes.size > 0 ? { scope: [...client.scopes].join(' ') } : {};
  return askToken(tokenUrl, { grant_type: 'client_credentials', ...scope }, client, context);
}

async function askToken(url, fields, { id, secret }, context) {
  const isPublic = secret === '';
  const all = Object.entries(isPublic ? { ...fields, client_id: id.trim() } : fields);
  const text = all.map((pair) => pair.map(percent).join('=')).join('&');
  const headers = [
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ];
  if (!isPublic) headers.push(['Authorization', `Basic ${btoa(`${percent(id.trim())}:${percent(secret)}`)}`]);
  const request = { method: 'POST', url, headers, payload: { kind: 'form', type: 'application/x-www-form-urlencoded', text } };
  const answer = await ask(request, context);
  const said = await jsonOf(answer.body.blob);
  if (answer.code !== 200 || typeof said?.access_token !== 'string') {
    throw failure('oauth-refused', said?.error_description ?? said?.error ?? answer.code);
  }
  return said;
}

async function ask(request, { settings, ownKey }) {
  try {
    return await (isProxied(request.url, settings) ? sendByPortal(request, ownKey.form, null) : send(request));
  } catch (error) {
    throw failure('oauth-no-answer', '', error);
  }
}

const listOf = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null);

async function jsonOf(blob) {
  try {
    return JSON.parse(await blob.text());
  } catch {
    return null;
  }
}

// Who signed in does not matter here: the token goes to the API, which judges it. The nonce says that it belongs to this request.
function nonceOf(token) {
  try {
    return JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).nonce;
  } catch {
    return undefined;
  }
}
