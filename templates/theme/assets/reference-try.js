import { contentOf } from './reference-body.js';
import { el } from './reference-dom.js';
import { bodyView, readBody } from './reference-response.js';

// Sends the request that is filled in, and shows what came back. Never with cookies, never after a redirect, and only to the
// origins that the page was given: its policy refuses every other too. To some, the portal sends it in place of the browser.

const TIMEOUT_MS = 30000;

/** Why a request cannot be sent from here: a key of the words; null when it can. */
export function obstacle(url, { origins, proxied = [], isSignedIn }) {
  let target;
  try {
    target = new URL(url);
  } catch {
    return 'no-server';
  }
  if (origins.includes(target.origin)) return null;
  if (!proxied.includes(target.origin)) return 'not-allowed';
  return isSignedIn ? null : 'sign-in-to-send';
}

/** Whether the portal sends the request, because the API takes none from pages. */
export function isProxied(url, { origins, proxied = [] }) {
  if (!URL.canParse(url)) return false;
  const { origin } = new URL(url);
  return !origins.includes(origin) && proxied.includes(origin);
}

/**
 * Why no request of this form can be sent from here, whatever somebody fills in; null when one may.
 * @param addresses of the servers to choose from, and whether they have variables
 */
export function obstacleOfAll(addresses, settings) {
  if (addresses.some(({ hasVariables }) => hasVariables)) return null;
  const faults = addresses.map(({ url }) => obstacle(url, settings));
  if (faults.includes(null)) return null;
  return ['sign-in-to-send', 'not-allowed'].find((fault) => faults.includes(fault)) ?? 'no-server';
}

/** The place where answers appear, which says so to who cannot see it. */
export function answerBox(say) {
  const status = el('p', { class: 'reference-status', role: 'status' });
  const content = el('div', { class: 'stack-s' });
  const element = el('div', { class: 'reference-answer' }, status, content);
  return {
    element,
    say: (text) => {
      status.textContent = text;
      content.replaceChildren();
    },
    show: async ({ code, text, seconds, headers, body }) => {
      const view = await bodyView(body, say);
      status.replaceChildren(
        el('span', { class: `badge ${code < 400 ? 'badge-approved' : 'badge-revoked'}` }, `${code} ${text}`.trim()),
        ` ${say('took', { milliseconds: Math.round(seconds * 1000) })}`,
      );
      content.replaceChildren(
        ...view.filter(Boolean),
        el(
          'details',
          { class: 'reference-fold' },
          el('summary', {}, say('headers')),
          el('pre', { class: 'code', tabindex: 0 }, headers.map(([name, value]) => `${name}: ${value}`).join('\n')),
        ),
      );
      element.scrollIntoView({ block: 'nearest' });
    },
  };
}

/** @returns `{code, text, seconds, headers, body}` @throws Error with a key of the words as its message */
export async function send({ method, url, headers, payload }) {
  const { type, content } = contentOf(payload);
  const start = performance.now();
  let asked;
  try {
    asked = new Request(url, { method, headers: payload?.kind === 'multipart' ? [...headers, ['Content-Type', type]] : headers, body: content });
  } catch (error) {
    // A browser refuses letters in headers that HTTP has no way to write.
    throw new Error('not-sendable', { cause: error });
  }
  let response;
  try {
    response = await fetch(asked, {
      credentials: 'omit',
      redirect: 'manual',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new Error(error.name === 'TimeoutError' ? 'timed-out' : 'no-answer', { cause: error });
  }
  if (response.type === 'opaqueredirect') throw new Error('redirected');
  return {
    ...{ code: response.status, text: response.statusText, headers: [...response.headers] },
    body: await bodyOf(response),
    seconds: (performance.now() - start) / 1000,
  };
}

/**
 * The same by way of the portal, which keeps its rules and records that it did.
 * @param form the hidden one of the page, with its token
 * @param credential `{id, scheme}` of a key that the portal adds; null for none
 */
export async function sendByPortal({ method, url, headers, payload }, form, credential) {
  const { type, content } = contentOf(payload);
  const start = performance.now();
  const fields = new FormData(form);
  const sent = payload?.kind === 'multipart' ? [...headers, ['Content-Type', type]] : headers;
  fields.set('call', JSON.stringify({ method, url, headers: sent, credential }));
  if (content !== undefined) fields.set('body', new Blob([content]), 'body');
  let answer;
  try {
    const response = await fetch(form.dataset.send, { method: 'POST', body: fields, redirect: 'error' });
    if (response.status === 429) throw new Error('too-often');
    if (response.status === 413) throw new Error('proxy-too-large');
    if (!response.ok) throw new Error('proxy-failed');
    answer = await response.json();
  } catch (error) {
    throw new Error(['too-often', 'proxy-too-large'].includes(error.message) ? error.message : 'proxy-failed', { cause: error });
  }
  if (answer.failure) throw new Error(`proxy-${answer.failure}`);
  const bytes = Uint8Array.from(atob(answer.body), (sign) => sign.charCodeAt(0));
  const named = answer.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return {
    ...{ code: answer.code, text: '', headers: answer.headers },
    body: { type: named.split(';', 1)[0].trim().toLowerCase(), blob: new Blob([bytes]), isCut: false },
    seconds: (performance.now() - start) / 1000,
  };
}

async function bodyOf(response) {
  try {
    return await readBody(response);
  } catch (error) {
    throw new Error(error.name === 'TimeoutError' ? 'timed-out' : 'broken-off', { cause: error });
  }
}
