import { copyBy } from './copy.js';

// Builds what the reference shows. Everything that a document says becomes text nodes here: nothing is ever read as HTML.

/** Longest text that is shown of one place; a document may hold megabytes in one. */
const LONGEST = 200000;
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/**
 * An element. Attributes are named by the program only; `on` holds listeners; children that are no nodes become text.
 * @returns {HTMLElement}
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === '') continue;
    element.append(child instanceof Node ? child : cut(String(child)));
  }
  return element;
}

export function cut(text, longest = LONGEST) {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The address as a link may carry it; null for one that would run something, or leads nowhere. */
export function safeAddress(address) {
  if (typeof address !== 'string' || /[\u0000-\u0020\u007f\\]/.test(address)) return null;
  try {
    return SCHEMES.has(new URL(address).protocol) ? address : null;
  } catch {
    return null;
  }
}

/** A link where the address is harmless, the text alone where it is not. */
export function link(address, ...children) {
  const href = safeAddress(address);
  return href === null
    ? el('span', {}, ...children)
    : el('a', { href, rel: 'noopener noreferrer nofollow' }, ...children);
}

/**
 * A fold whose inside is made when it is first opened, or at once where it begins so.
 * @param schema pointer of what is inside, where it has one: the same may be met many times
 */
export function fold(title, build, isOpen = false, schema = null) {
  const details = el('details', { class: 'reference-fold', open: isOpen, 'data-schema': schema }, el('summary', {}, title));
  const fill = () => {
    if (details.open && details.childElementCount === 1) append(details, [build()]);
  };
  fill();
  details.addEventListener('toggle', fill);
  return details;
}

/** The first of many, and a button that shows the others in their place. @param write an item as a node */
export function firstOf(items, most, write, say, name = 'div') {
  const shown = items.slice(0, most).map((item, place) => write(item, place));
  if (items.length <= most) return shown;
  const button = el('button', { type: 'button', class: 'button button-small reference-rest' }, say('show-all', { count: items.length }));
  const rest = el(name, {}, button);
  button.addEventListener('click', () => {
    const [first, ...others] = items.slice(most).map((item, place) => write(item, most + place));
    rest.replaceWith(first, ...others);
    // Who came by the keyboard goes on from there.
    first.querySelector('summary, button, a')?.focus();
  });
  return [...shown, rest];
}

let count = 0;
/** An id that no document can name. */
export function freshId() {
  count += 1;
  return `reference-${count}`;
}

/** A field with its label. */
export function labelled(label, control, hint) {
  control.id ||= freshId();
  return el(
    'div',
    { class: 'reference-field' },
    el('label', { for: control.id }, label),
    hint ? el('span', { class: 'hint' }, hint) : null,
    control,
  );
}

/** `{name}` in a sentence becomes a value. */
export function speaker(words) {
  return (key, values = {}) => {
    const text = Object.hasOwn(words, key) ? words[key] : key;
    return text.replace(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? String(values[name]) : all));
  };
}

/** A button that copies what `read` returns at that moment. */
export function copyButton(say, read) {
  const button = el('button', { type: 'button', class: 'button button-small' }, say('copy'));
  const words = { copied: say('copied'), failed: say('not-copied') };
  button.addEventListener('click', () => void copyBy(button, () => navigator.clipboard.writeText(read()), words));
  return button;
}
