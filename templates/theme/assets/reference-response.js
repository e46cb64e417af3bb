import { cut, el } from './reference-dom.js';
import { highlight } from './highlight.js';

// Answers of an API: read without freezing the page, whatever their size, and shown as what they are. Nothing of them runs: text
// is text, and pictures are those formats that hold nothing but a picture.

/** Beyond this nothing more is read. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What is shown; the whole can be saved. */
const LONGEST_SHOWN = 200000;
/** Longer JSON is shown as it came: taking it apart would hold up the page. */
const LONGEST_PARSED = 2000000;
const LARGEST_PICTURE = 2 * 1024 * 1024;
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql|problem)\b/;
const ENDINGS = { json: 'json', xml: 'xml', yaml: 'yaml', csv: 'csv', pdf: 'pdf', zip: 'zip', png: 'png', jpeg: 'jpg', gif: 'gif', html: 'html' };

/** The body of a response as `{type, blob, isCut}`. */
export async function readBody(response) {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0].trim().toLowerCase();
  const chunks = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let step = await reader?.read(); step && !step.done; step = await reader.read()) {
    size += step.value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      return { type, blob: new Blob(chunks), isCut: true };
    }
    chunks.push(step.value);
  }
  return { type, blob: new Blob(chunks), isCut: false };
}

/** The elements that show it. */
export async function bodyView({ type, blob, isCut }, say) {
  if (blob.size === 0) return [el('p', { class: 'small soft' }, say('empty-answer'))];
  const save = saveLink({ type, blob }, say);
  const note = isCut ? el('p', { class: 'small soft' }, say('answer-too-large', { size: sizeOf(MOST_BYTES) })) : null;
  if (PICTURE.test(type) && blob.size <= LARGEST_PICTURE) return [await picture(type, blob, say), save, note];
  const text = await textOf(type, blob);
  if (text === null) return [el('p', { class: 'small' }, say('binary-answer', { type: type || '?', size: sizeOf(blob.size) })), save, note];
  const shown = text.length > LONGEST_SHOWN ? el('p', { class: 'small soft' }, say('answer-cut', { size: sizeOf(blob.size) })) : null;
  const code = el('pre', { class: 'code reference-body', tabindex: 0, role: 'region', 'aria-label': say('answer') });
  code.append(highlight(cut(text, LONGEST_SHOWN), /json$/.test(type) ? 'json' : /(?:xml|html)$/.test(type) ? 'xml' : 'http'));
  return [el('div', { class: 'code-dark' }, code), shown, save, note];
}

/** @returns null for what is no text */
async function textOf(type, blob) {
  const isSaid = TEXTUAL.test(type);
  const start = new Uint8Array(await blob.slice(0, 4096).arrayBuffer());
  if (!isSaid && (type !== '' || start.includes(0))) return null;
  const isJson = /[/+]json$/.test(type) && blob.size <= LONGEST_PARSED;
  const text = await (isJson ? blob : blob.slice(0, LONGEST_SHOWN * 4)).text();
  if (!isJson) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not what it says; shown as it came.
    return text;
  }
}

// As `data:`, which is all that the policy of the page lets a picture be.
async function picture(type, blob, say) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32768) binary += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return el('img', { class: 'reference-picture', src: `data:${type};base64,${btoa(binary)}`, alt: say('answer') });
}

function saveLink({ type, blob }, say) {
  const button = el('button', { type: 'button', class: 'button button-small' }, say('save-answer', { size: sizeOf(blob.size) }));
  button.addEventListener('click', () => {
    // Never of the type that it says: a browser that opened it here would run it as a page of the portal.
    const href = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
    const link = el('a', { href, download: `answer.${ENDINGS[type.split(/[/+]/).at(-1)] ?? 'bin'}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  });
  return el('p', {}, button);
}

export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
