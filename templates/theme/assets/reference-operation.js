import { answerPanel, payloadPanel } from './reference-answers.js';
import { callPanel } from './reference-call.js';
import { el, link } from './reference-dom.js';
import { access, body, callbacks, parameters, responses } from './reference-facts.js';
import { markdown } from './reference-markdown.js';
import { pageLinks } from './reference-pages.js';
import { pointAtExamples } from './reference-pointing.js';
import { isCallable } from './reference-request.js';
import { samplePanel } from './reference-sample-panel.js';

/**
 * An operation with everything that is known of it.
 * @param context `say`, `store`, `index`, `settings`, `secrets`, `ownKey`, `account`, `history`
 */
export function operationView(entry, operation, context) {
  const { say } = context;
  const heading = el('h2', { tabindex: -1, dir: 'auto' }, operation.summary || operation.id || entry.path);
  const what = el(
    'div',
    { class: 'stack reference-what' },
    heading,
    el(
      'p',
      { class: 'reference-address', dir: 'ltr' },
      methodBadge(entry, say),
      ' ',
      el('code', { class: 'break' }, entry.path),
      entry.isDeprecated ? [' ', el('span', { class: 'tag' }, say('deprecated'))] : null,
      marksOf(entry, context).map((title) => [' ', el('span', { class: 'tag' }, title)]).flat(),
    ),
    knownMarks(entry, context),
    pageLinks(entry, context),
    operation.pathSummary && operation.pathSummary !== operation.summary ? el('p', { class: 'soft', dir: 'auto' }, operation.pathSummary) : null,
    operation.pathDescription ? markdown(operation.pathDescription) : null,
    operation.description && operation.description !== operation.summary ? markdown(operation.description) : null,
    operation.externalDocs
      ? el('p', {}, link(operation.externalDocs.url, operation.externalDocs.description || operation.externalDocs.url))
      : null,
    access(operation, context),
  );
  const fields = el(
    'div',
    { class: 'reference-fields' },
    parameters(operation, context),
    body(operation, context),
    responses(operation, context),
    callbacks(operation, context),
  );
  const side = sidePanel(entry, operation, context);
  const view = el('article', { class: 'reference-operation' }, what, side, fields);
  pointAtExamples(view);
  return { view, heading };
}

// Requests are shown where something can be requested; elsewhere, what is sent and received.
function sidePanel(entry, operation, context) {
  if (entry.isWebhook) return payloadPanel(operation, context);
  if (isCallable(entry, context.index)) return callPanel(entry, operation, context);
  const examples = answerPanel(operation, context);
  const own = operation.codeSamples.length > 0 ? samplePanel(null, operation, context).element : null;
  return (own ?? examples) && el('div', { class: 'reference-side' }, own, examples);
}

const TONES = { plain: 'tag', warn: 'badge badge-pending', bad: 'badge badge-breaking' };

// What the portal knows of it: when it came, changed, ends.
function knownMarks({ anchor }, { settings }) {
  // An anchor is the document's own word, such as `constructor`.
  const marks = Object.hasOwn(settings.marks ?? {}, anchor) ? settings.marks[anchor] : [];
  if (marks.length === 0) return null;
  return el('p', { class: 'row reference-marks' }, marks.map(({ text, tone, links }) => [
    el('span', { class: TONES[tone] }, text),
    links.map(({ text: name, href }) => link(href, name)),
  ]).flat(2));
}

// Tags that are no place in the navigation.
function marksOf({ tags }, { index }) {
  return tags.map((number) => index.tags[number]).filter(({ kind }) => kind !== '' && kind !== 'nav').map(({ title, name }) => title || name);
}

export function methodBadge({ method, isWebhook }, say) {
  return el('span', { class: `method method-${isWebhook ? 'webhook' : method}` }, isWebhook ? say('webhook') : method);
}
