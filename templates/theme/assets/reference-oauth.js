import { el, labelled } from './reference-dom.js';
import { flowsOf, isWeb, renewTokens, tokenBy } from './reference-tokens.js';
import { obstacle } from './reference-try.js';

// The form that gets a token by OAuth 2.0 or OpenID Connect. What comes of it, and everything that was typed for it, stays in the
// memory of the page.

const FLOWS = new Set(['authorizationCode', 'clientCredentials']);

/**
 * The part of a form that gets a token; null where the document names no flow.
 * @param scopes that the operation asks for
 * @param fill called with the token
 */
export function oauthPart(scheme, scopes, fill, context) {
  if (!context.settings.oauthCallback) return null;
  if (scheme.type === 'openIdConnect') return openIdPart(scheme, scopes, fill, context);
  const { settings, say } = context;
  const flows = scheme.flows.filter(({ flow, authorizationUrl, tokenUrl }) => {
    return FLOWS.has(flow) && isWeb(tokenUrl) && (flow !== 'authorizationCode' || isWeb(authorizationUrl));
  });
  if (flows.length === 0) return otherFlows(scheme, say);
  const reachable = flows.filter(({ tokenUrl }) => obstacle(tokenUrl, settings) === null);
  if (reachable.length === 0) return notAllowed(flows[0].tokenUrl, say);
  return el('details', { class: 'reference-fold' }, el('summary', {}, say('oauth-get')), flowParts({ scheme, flows: reachable, scopes, fill }, context));
}

/** Flows that no page should run: implicit and password by RFC 9700, 2.1.2 and 2.4; that of devices needs a second one. */
function otherFlows({ flows }, say) {
  const named = ['implicit', 'password', 'deviceAuthorization'].filter((name) => flows.some(({ flow }) => flow === name));
  if (named.length === 0) return null;
  return el('p', { class: 'small soft' }, say('oauth-other-flow', { flow: named.map((flow) => say(`flow-${flow}`)).join(', ') }));
}

function notAllowed(url, say) {
  return el('p', { class: 'small soft' }, say('oauth-not-allowed', { origin: new URL(url).origin }));
}

/** What the provider says about itself is read when somebody opens the part. */
function openIdPart(scheme, scopes, fill, context) {
  const { settings, say } = context;
  const url = scheme.openIdConnectUrl;
  if (!isWeb(url)) return null;
  if (obstacle(url, settings) !== null) return notAllowed(url, say);
  const status = el('p', { class: 'small', role: 'status' });
  const box = el('div', { class: 'stack' }, status);
  const details = el('details', { class: 'reference-fold' }, el('summary', {}, say('oauth-get')), box);
  let isAsked = false;
  details.addEventListener('toggle', async () => {
    if (isAsked || !details.open) return;
    isAsked = true;
    status.textContent = say('oauth-reading');
    try {
      const flows = (await flowsOf(url, context)).filter(({ tokenUrl }) => obstacle(tokenUrl, settings) === null);
      if (flows.length === 0) status.textContent = say('oauth-no-flow');
      else box.replaceChildren(...flowParts({ scheme, flows, scopes: [...new Set(['openid', ...scopes])], fill }, context));
    } catch (error) {
      isAsked = false;
      status.textContent = say(error.message, { error: error.detail ?? '' });
    }
  });
  return details;
}

function flowParts({ scheme, flows, scopes, fill }, context) {
  const box = el('div', { class: 'stack' });
  const show = (flow) => box.replaceChildren(...flowFields({ scheme, flow, scopes, fill }, context));
  show(flows[0]);
  if (flows.length === 1) return [box];
  const { say } = context;
  const select = el('select', { class: 'input' }, flows.map(({ flow }) => el('option', {}, say(flow))));
  select.addEventListener('change', () => show(flows[select.selectedIndex]));
  return [labelled(say('oauth-flow'), select), box];
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
  const show = (token, words) => {
    fill(token.access_token);
    const minutes = Math.ceil(Number(token.expires_in) / 60);
    status.textContent = Number.isFinite(minutes) ? say(`${words}-for`, { minutes }) : say(words);
  };
  const tell = (error) => (status.textContent = say(error.message, { error: error.detail ?? '' }));
  renewTokens(known, (token) => show(token, 'oauth-renewed'), tell);
  button.addEventListener('click', async () => {
    if (known.id.trim() === '') return id.focus();
    status.textContent = say(isCode ? 'oauth-waiting' : 'sending');
    try {
      show(await tokenBy(flow, known, context), 'oauth-got');
    } catch (error) {
      tell(error);
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
