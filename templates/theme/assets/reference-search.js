import { el, freshId } from './reference-dom.js';
import { operationItem } from './reference-groups.js';

// What stands in descriptions, fields and schemas: the server looks through them, after a pause in typing.

const PAUSE_MS = 150;
const SHORTEST = 2;

/** @returns `{element, ask}` the list of what was found; `shown` are the numbers of operations that need no second row */
export function deepSearch(index, { say, store }) {
  const list = el('ul', { class: 'reference-list' });
  const title = el('p', { class: 'small soft', role: 'status', id: freshId() });
  const element = el('div', { hidden: true }, title, list);
  let timer = 0;
  let latest = '';
  const show = async (question, shown) => {
    const hits = await store.search(question);
    // Somebody typed on meanwhile.
    if (question !== latest) return;
    const others = hits.filter(({ number }) => !shown.has(number));
    title.textContent = others.length > 0 ? say('found-within', { count: others.length }) : say('found-nothing');
    list.replaceChildren(...others.map(({ number, spots }) => row(index.operations[number], spots, say)));
    element.hidden = others.length === 0 && shown.size > 0;
  };
  const ask = (question, shown) => {
    latest = question;
    clearTimeout(timer);
    if (question.length < SHORTEST) element.hidden = true;
    else timer = setTimeout(() => void show(question, shown).catch(() => (element.hidden = true)), PAUSE_MS);
  };
  return { element, ask };
}

function row(entry, spots, say) {
  const item = operationItem(entry, say);
  const places = spots.map(({ name, text }) =>
    el(
      'span',
      { class: 'reference-spot' },
      name === '' ? null : el('code', { class: 'break', dir: 'ltr' }, name),
      name === '' || text === '' ? null : ' ',
      el('bdi', {}, text),
    ),
  );
  item.querySelector('a').append(...places);
  return item;
}

/** `/` leads to the field, as on other pages (keys.js); Escape empties it. */
export function searchKeys(field) {
  field.dataset.hotkey = '/';
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || field.value === '') return;
    event.preventDefault();
    field.value = '';
    field.dispatchEvent(new Event('input'));
  });
}
