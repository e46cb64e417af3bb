import { el, freshId } from './reference-dom.js';
import { groupsOf, operationAddress, operationItem, schemaAddress } from './reference-groups.js';
import { deepSearch, searchKeys } from './reference-search.js';

// The list of operations: by tag, each tag filled when it is opened, and a filter over all of them.

/** Up to so many operations every tag is open at once. */
const ALL_OPEN = 40;
const MOST_FOUND = 100;

/** @param context `say`, `store` */
export function navigation(index, context) {
  const { say } = context;
  const groups = groupsOf(index, index.operations.length <= ALL_OPEN, say);
  const all = el('div', {}, groups.elements);
  const found = el('ul', { class: 'reference-list', hidden: true });
  const deep = deepSearch(index, context);
  const count = el('p', { class: 'small soft', role: 'status' });
  const search = el('input', {
    ...{ class: 'input', type: 'search', id: freshId(), placeholder: say('filter'), autocomplete: 'off' },
    'aria-label': say('filter'),
    'aria-keyshortcuts': '/',
  });
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length === 0 ? [] : index.operations.filter((entry) => matches(entry, words, index));
    all.hidden = words.length > 0;
    found.hidden = words.length === 0;
    found.replaceChildren(...hits.slice(0, MOST_FOUND).map((entry) => operationItem(entry, say)));
    count.textContent = words.length === 0 ? '' : say('found', { count: hits.length });
    deep.ask(search.value.trim(), new Set(hits.slice(0, MOST_FOUND).map(({ number }) => number)));
    mark(found, search.dataset.current);
  });
  searchKeys(search);
  const element = el('nav', { class: 'reference-nav', 'aria-label': say('operations') }, search, count, all, found, deep.element);
  const reveal = () => {
    const current = element.querySelector('[aria-current]');
    if (current && element.scrollHeight > element.clientHeight) keepInView(element, current);
  };
  return {
    element,
    /** Shows where the reader is. */
    select: (entry) => {
      if (entry) groups.open(entry);
      search.dataset.current = entry ? operationAddress(entry) : '';
      mark(element, search.dataset.current);
      reveal();
    },
    selectSchema: (name) => {
      groups.openSchemas();
      search.dataset.current = schemaAddress(name);
      mark(element, search.dataset.current);
      reveal();
    },
  };
}

function matches({ method, path, summary, anchor, tags }, words, index) {
  const names = tags.map((tag) => `${index.tags[tag]?.name} ${index.tags[tag]?.title}`).join(' ');
  const text = `${method} ${path} ${summary} ${anchor} ${names}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function mark(element, address) {
  for (const link of element.querySelectorAll('.reference-list a')) {
    if (link.getAttribute('href') === address) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

// The list scrolls by itself; the page must not move with it.
function keepInView(element, current) {
  const [outer, inner] = [element.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) element.scrollTop += inner.top - outer.top - 48;
  else if (inner.bottom > outer.bottom) element.scrollTop += inner.bottom - outer.bottom + 48;
}
