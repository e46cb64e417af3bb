import { cut, el } from './reference-dom.js';
import { methodBadge } from './reference-operation.js';

// The parts of the navigation: operations by tag, tags under their headings, and schemas. Each is filled when it is opened.

export const operationAddress = ({ anchor }) => `#op-${anchor}`;
export const schemaAddress = (name) => `#schema-${encodeURIComponent(name)}`;

/** A tag as a reader knows it. */
export const titleOf = ({ name, title }, say) => title || name || say('other');

/** Tags of other kinds are marks of an operation, not a place to look for it. */
export const isPlace = ({ kind }) => kind === '' || kind === 'nav';

/** @returns `{elements, open, openSchemas}`: `open` opens the group of an operation */
export function groupsOf(index, isOpen, say) {
  const members = membersOf(index);
  const groups = new Map(
    [...members].map(([number, entries]) => {
      const name = number === -1 ? say('other') : titleOf(index.tags[number], say);
      return [number, group(name, entries.length, () => entries.map((entry) => operationItem(entry, say)), isOpen)];
    }),
  );
  const { names } = index.schemas;
  const schemas = group(say('schemas'), names.length, () => names.map(schemaItem), false);
  const headed = new Set(index.groups.flatMap(({ tags }) => tags));
  const elements = (numbers) => numbers.flatMap((number) => groups.get(number)?.element ?? []);
  return {
    elements: [
      ...index.groups.map(({ name, tags }) =>
        el('div', { role: 'group', 'aria-label': name }, el('p', { class: 'reference-heading', dir: 'auto' }, name), elements(tags)),
      ),
      ...elements([...groups.keys()].filter((number) => !headed.has(number))),
      ...(names.length > 0 ? [schemas.element] : []),
    ],
    open: ({ tags }) => {
      const known = tags.filter((number) => groups.has(number));
      // Who came by one of its tags stays there.
      if (!known.some((number) => groups.get(number).element.open)) groups.get(known[0] ?? -1)?.open();
    },
    openSchemas: schemas.open,
  };
}

/** Number of a tag → its operations, in the order of tags; -1 for those without a place. */
function membersOf({ tags, operations }) {
  const places = tags.flatMap((tag, number) => (isPlace(tag) ? [number] : []));
  const members = new Map(places.map((number) => [number, []]));
  const others = [];
  for (const entry of operations) {
    const own = entry.tags.filter((number) => members.has(number));
    for (const number of own) members.get(number).push(entry);
    if (own.length === 0) others.push(entry);
  }
  if (others.length > 0) members.set(-1, others);
  return members;
}

function group(name, count, make, isOpen) {
  const list = el('ul', { class: 'reference-list' });
  const fill = () => {
    if (list.childElementCount === 0) list.append(...make());
  };
  const summary = el('summary', {}, el('span', { dir: 'auto' }, name), ' ', el('span', { class: 'soft' }, count));
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

export function operationItem(entry, say) {
  const text = entry.summary || entry.path;
  return el(
    'li',
    {},
    el(
      'a',
      { href: operationAddress(entry), title: cut(entry.path, 200), 'data-anchor': entry.anchor },
      methodBadge(entry, say),
      ' ',
      el('span', { class: entry.isDeprecated ? 'reference-old' : 'reference-entry', dir: 'auto' }, cut(text, 120)),
    ),
  );
}

function schemaItem(name) {
  return el('li', {}, el('a', { href: schemaAddress(name) }, el('bdi', {}, name)));
}
