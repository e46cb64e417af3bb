import { cut, el, freshId } from './reference-dom.js';
import { methodBadge } from './reference-operation.js';

// The list of operations: by tag, each tag filled when it is opened, and a filter over all of them.

/** Up to so many operations every tag is open at once. */
const ALL_OPEN = 40;
const MOST_FOUND = 100;

export function navigation(index, say) {
  const groups = index.tags.map((tag, number) => {
    const members = index.operations.filter((entry) => entry.tag === number);
    return group(tag.name || say('other'), members, index.operations.length <= ALL_OPEN, say);
  });
  const all = el('div', {}, groups.map(({ element }) => element));
  const found = el('ul', { class: 'reference-list', hidden: true });
  const count = el('p', { class: 'small soft', role: 'status' });
  const search = el('input', {
    ...{ class: 'input', type: 'search', id: freshId(), placeholder: say('filter'), autocomplete: 'off' },
    'aria-label': say('filter'),
  });
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = words.length === 0 ? [] : index.operations.filter((entry) => matches(entry, words, index));
    all.hidden = words.length > 0;
    found.hidden = words.length === 0;
    found.replaceChildren(...hits.slice(0, MOST_FOUND).map((entry) => item(entry, say)));
    count.textContent = words.length === 0 ? '' : say('found', { count: hits.length });
    mark(found, search.dataset.current);
  });
  const element = el('nav', { class: 'reference-nav', 'aria-label': say('operations') }, search, count, all, found);
  return {
    element,
    /** Shows where the reader is. */
    select: (entry) => {
      const own = entry && groups[entry.tag];
      own?.open();
      search.dataset.current = entry?.anchor ?? '';
      mark(element, entry?.anchor);
      const current = element.querySelector('[aria-current]');
      if (current && element.scrollHeight > element.clientHeight) keepInView(element, current);
    },
  };
}

function matches({ method, path, summary, anchor, tag }, words, index) {
  const text = `${method} ${path} ${summary} ${anchor} ${index.tags[tag]?.name ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function group(name, members, isOpen, say) {
  const list = el('ul', { class: 'reference-list' });
  const fill = () => {
    if (list.childElementCount === 0) list.append(...members.map((entry) => item(entry, say)));
  };
  const summary = el('summary', {}, el('span', { dir: 'auto' }, cut(name, 100)), ' ', el('span', { class: 'soft' }, members.length));
  const element = el('details', { class: 'reference-group', open: isOpen }, summary, list);
  if (isOpen) fill();
  element.addEventListener('toggle', fill);
  return {
    element,
    open: () => {
      fill();
      element.open = true;
    },
  };
}

function item(entry, say) {
  const text = entry.summary || entry.path;
  return el(
    'li',
    {},
    el(
      'a',
      { href: `#op-${entry.anchor}`, title: cut(entry.path, 200), 'data-anchor': entry.anchor },
      methodBadge(entry, say),
      ' ',
      el('span', { class: entry.isDeprecated ? 'reference-old' : 'reference-entry', dir: 'auto' }, cut(text, 120)),
    ),
  );
}

function mark(element, anchor) {
  for (const link of element.querySelectorAll('a[data-anchor]')) {
    if (link.dataset.anchor === anchor) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

// The list scrolls by itself; the page must not move with it.
function keepInView(element, current) {
  const [outer, inner] = [element.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.top < outer.top) element.scrollTop += inner.top - outer.top - 48;
  else if (inner.bottom > outer.bottom) element.scrollTop += inner.bottom - outer.bottom + 48;
}
