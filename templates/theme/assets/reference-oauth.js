import { el, labelled } from './reference-dom.js';
import { percent } from './reference-serialize.js';
import { isProxied, obstacle, send, sendByPortal } from './reference-try.js';

// Tokens by OAuth 2.0: the authorization code with PKCE, in a window of the API's own server, and client credentials. What comes of
// it, and everything that was typed for it, stays in the memory of the page.

const CHANNEL = 'portal-oauth';
const FLOWS = new Set(['authorizationCode', 'clientCredentials']);

/** Only the web: an address of a document could be a script. */
const isWeb = (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
const encoded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/**
 * The part of a form that gets a token; null where the document names no flow that runs here.
 * @param scopes that the operation asks for
 * @param fill called with the token
 */
export function oauthPart(scheme, scopes, fill, context) {
  const { settings, say } = context;
  const flows = scheme.flows.filter(({ flow, authorizationUrl, tokenUrl }) => {
    return FLOWS.has(flow) && isWeb(tokenUrl) && (flow !== 'authorizationCode' || isWeb(authorizationUrl));
  });
  if (!settings.oauthCallback || flows.length === 0) return null;
  const reachable = flows.filter(({ tokenUrl }) => obstacle(tokenUrl, settings) === null);
  if (reachable.length === 0) {
    return el('p', { class: 'small soft' }, say('oauth-not-allowed', { origin: new URL(flows[0].tokenUrl).origin }));
  }
  const box = el('div', { class: 'stack' });
  const show = (flow) => box.replaceChildren(...flowFields({ scheme, flow, scopes, fill }, context));
  show(reachable[0]);
  const details = el('details', { class: 'reference-fold' }, el('summary', {}, say('oauth-get')));
  if (reachable.length > 1) {
    const select = el('select', { class: 'input' }, reachable.map(({ flow }) => el('option', {}, say(flow))));
    select.addEventListener('change', () => show(reachable[select.selectedIndex]));
    details.append(labelled(say('oauth-flow'), select));
  }
  details.append(box);
  return details;
}

function flowFields({ scheme, flow, scopes, fill }, context) {
  const { say, settings } = context;
  const isCode = flow.flow === 'authorizationCode';
  const field = (type, autocomplete = 'off') => el('input', { class: 'input', type, autocomplete, dir: 'ltr', spellcheck: 'false' });
  const known = context.clients.get(scheme.name) ?? { id: '', secret: '', scopes: new Set(scopes) };
  context.clients.set(scheme.name, known);
  const id = field('text');
  id.value = known.id;
  id.addEventListener('input', () => (known.id = id.value));
  const secret = field('password');
  secret.value = known.secret;
  secret.addEventListener('input', () => (known.secret = secret.value));
  const status = el('p', { class: 'small', role: 'status' });
  const button = el('button', { type: 'button', class: 'button button-small' }, say(isCode ? 'oauth-sign-in' : 'oauth-ask'));
  button.addEventListener('click', async () => {
    if (known.id.trim() === '') return id.focus();
    status.textContent = say(isCode ? 'oauth-waiting' : 'sending');
    try {
      const token = await (isCode ? byCode(flow, known, context) : byCredentials(flow, known, context));
      fill(token.access_token);
      const seconds = Number(token.expires_in);
      status.textContent = Number.isFinite(seconds) ? say('oauth-got-for', { minutes: Math.ceil(seconds / 60) }) : say('oauth-got');
    } catch (error) {
      status.textContent = say(error.message, { error: error.detail ?? '' });
    }
  });
  return [
    labelled(say('oauth-client'), id),
    labelled(say(isCode ? 'oauth-secret-optional' : 'oauth-secret'), secret, say('oauth-secret-warning')),
    isCode ? el('p', { class: 'small' }, `${say('oauth-redirect')}: `, el('code', { class: 'break' }, new URL(settings.oauthCallback, location.href).href)) : '',
    scopeFields([...new Set([...flow.scopes.map(({ name }) => name), ...scopes])], known, context),
    el('p', {}, button),
    status,
  ].filter(Boolean);
}

function scopeFields(names, known, { say }) {
  if (names.length === 0) return null;
  const boxes = names.map((name) => {
    const box = el('input', { type: 'checkbox', checked: known.scopes.has(name) });
    box.addEventListener('change', () => (box.checked ? known.scopes.add(name) : known.scopes.delete(name)));
    return el('label', { class: 'check' }, box, ' ', el('code', {}, name));
  });
  return el('fieldset', { class: 'stack-s reference-scopes' }, el('legend', { class: 'small' }, say('scopes')), boxes);
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

async function askToken(url, fields, { id, secret }, { settings, ownKey }) {
  const isPublic = secret === '';
  const all = Object.entries(isPublic ? { ...fields, client_id: id.trim() } : fields);
  const text = all.map((pair) => pair.map(percent).join('=')).join('&');
  const headers = [
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ];
  if (!isPublic) headers.push(['Authorization', `Basic ${btoa(`${percent(id.trim())}:${percent(secret)}`)}`]);
  const request = { method: 'POST', url, headers, payload: { kind: 'form', type: 'application/x-www-form-urlencoded', text } };
  let answer;
  try {
    answer = await (isProxied(url, settings) ? sendByPortal(request, ownKey.form, null) : send(request));
  } catch (error) {
    throw failure('oauth-no-answer', '', error);
  }
  const said = await jsonOf(answer.body.blob);
  if (answer.code !== 200 || typeof said?.access_token !== 'string') {
    throw failure('oauth-refused', said?.error_description ?? said?.error ?? answer.code);
  }
  return said;
}

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
