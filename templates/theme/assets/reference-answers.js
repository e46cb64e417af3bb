import { highlight } from './highlight.js';
import { copyButton, el } from './reference-dom.js';
import { exampleOf } from './reference-example.js';

// Examples of what an operation answers, beside its samples.

/** @returns null where the document shows nothing of any answer */
export function answerPanel({ responses }, context) {
  const { say } = context;
  const answers = responses.flatMap(({ status, content }) => {
    const media = content.find(({ schema, examples }) => examples.length > 0 || schema);
    return media ? [{ status, ...media }] : [];
  });
  if (answers.length === 0) return null;
  const buttons = answers.map(({ status }) => el('button', { type: 'button', class: 'reference-choice' }, status));
  const choices = el('div', { class: 'reference-choices', role: 'group', 'aria-label': say('answer-example') }, buttons);
  const panel = examplePanel([el('span', { class: 'code-title' }, say('answer-example')), choices], context);
  const choose = (chosen) => {
    for (const [number, button] of buttons.entries()) button.setAttribute('aria-pressed', String(number === chosen));
    panel.show(answers[chosen], false);
  };
  for (const [number, button] of buttons.entries()) button.addEventListener('click', () => choose(number));
  choose(Math.max(0, answers.findIndex(({ status }) => status.startsWith('2'))));
  return panel.element;
}

/** What a webhook brings. */
export function payloadPanel({ body }, context) {
  const media = body?.content[0];
  if (!media) return null;
  const panel = examplePanel([el('span', { class: 'code-title' }, context.say('example'))], context);
  panel.show(media, true);
  return el('div', { class: 'reference-side' }, panel.element);
}

/** A dark panel for the examples of one media type; where there are several, one of them is chosen. */
function examplePanel(head, { say, store }) {
  const code = el('pre', { class: 'code', tabindex: 0 });
  const place = el('div', { class: 'code-choice', hidden: true });
  const element = el(
    'div',
    { class: 'reference-example code-dark' },
    el('div', { class: 'code-head' }, head, copyButton(say, () => code.textContent)),
    place,
    code,
  );
  const show = ({ type, schema, examples }, isRequest) => {
    const write = (value) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
      code.replaceChildren(highlight(text, /xml/i.test(type) ? 'xml' : 'json'));
    };
    const names = examples.map(({ name, summary }, number) => summary || name || String(number + 1));
    const select = el('select', { class: 'input', 'aria-label': say('example') }, names.map((name) => el('option', {}, name)));
    select.addEventListener('change', () => write(examples[select.selectedIndex].value));
    place.replaceChildren(...(examples.length > 1 ? [select] : []));
    place.hidden = examples.length < 2;
    const given = examples[0]?.value;
    write(given === undefined ? exampleOf(schema, store, isRequest) : given);
  };
  return { element, show };
}
