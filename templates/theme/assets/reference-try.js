import { cut, el } from './reference-dom.js';

// Sends the request that is filled in, and shows what came back. Never with cookies, never after a redirect, and only to the
// origins that the page was given: its policy refuses every other too.

const LONGEST_ANSWER = 200000;
const TIMEOUT_MS = 30000;

/** Why a request cannot be sent from here: a key of the words; null when it can. */
export function obstacle(url, { origins }) {
  let target;
  try {
    target = new URL(url);
  } catch {
    return 'no-server';
  }
  return origins.includes(target.origin) ? null : 'not-allowed';
}

/**
 * Why no request of this form can be sent from here, whatever somebody fills in; null when one may.
 * @param addresses of the servers to choose from, and whether they have variables
 */
export function obstacleOfAll(addresses, settings) {
  if (addresses.some(({ hasVariables }) => hasVariables)) return null;
  const faults = addresses.map(({ url }) => obstacle(url, settings));
  if (faults.includes(null)) return null;
  return faults.includes('not-allowed') ? 'not-allowed' : 'no-server';
}

/** The place where answers appear, which says so to who cannot see it. */
export function answerBox(say) {
  const status = el('p', { class: 'reference-status', role: 'status' });
  const content = el('div', {});
  const element = el('div', { class: 'reference-answer' }, status, content);
  return {
    element,
    say: (text) => {
      status.textContent = text;
      content.replaceChildren();
    },
    show: ({ code, text, seconds, headers, body }) => {
      status.replaceChildren(
        el('span', { class: `badge ${code < 400 ? 'badge-approved' : 'badge-revoked'}` }, `${code} ${text}`.trim()),
        ` ${say('took', { milliseconds: Math.round(seconds * 1000) })}`,
      );
      content.replaceChildren(
        el('pre', { class: 'code reference-body', tabindex: 0, role: 'region', 'aria-label': say('answer') }, body),
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
export async function send({ method, url, headers, body }) {
  const start = performance.now();
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      body: body ? payload(body) : undefined,
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
  const read = await response.text();
  return {
    ...{ code: response.status, text: response.statusText, headers: [...response.headers] },
    body: shownBody(read, response.headers.get('content-type') ?? ''),
    seconds: (performance.now() - start) / 1000,
  };
}

function payload({ type, text, fields, files }) {
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams([...fields]);
  if (!type.startsWith('multipart/')) return text === '' ? undefined : text;
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, files?.get(name) ?? value);
  return form;
}

function shownBody(text, type) {
  if (/[/+]json\b/i.test(type)) {
    try {
      return cut(JSON.stringify(JSON.parse(text), null, 2), LONGEST_ANSWER);
    } catch {
      // Not what it says; shown as it came.
    }
  }
  return cut(text, LONGEST_ANSWER);
}
