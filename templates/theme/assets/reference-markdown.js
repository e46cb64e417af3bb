import { append, el, link } from './reference-dom.js';

// Descriptions, which the server has taken apart: it sends trees, and elements are made of them here by names that this
// program knows.

const LONGEST = 50000;
const TAGS = new Set(
  ['dl', 'dt', 'dd', 'u', 'sub', 'sup', 'kbd', 'p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'em', 'strong', 's', 'br', 'hr'],
);
const ATTRIBUTES = new Map([['pre', { dir: 'ltr', tabindex: 0 }], ['table', { tabindex: 0 }]]);

/** Text → its tree. */
const trees = new Map();

/** @param prose `[text, tree]` of every description that is more than a paragraph */
export function keepProse(prose) {
  for (const [text, tree] of prose) trees.set(text, tree);
}

export function markdown(description) {
  const root = el('div', { class: 'prose', dir: 'auto' });
  return append(root, treeOf(description).map(build));
}

function treeOf(description) {
  const text = description.slice(0, LONGEST);
  return trees.get(text) ?? (text.trim() === '' ? [] : [['p', text.trim()]]);
}

function build(node) {
  if (typeof node === 'string') return document.createTextNode(node);
  const [tag, ...inside] = node;
  if (tag === 'a') return link(inside[0], inside.slice(1).map(build));
  // The page has its own headings.
  if (/^h[1-6]$/.test(tag)) return el('p', { class: 'reference-heading' }, inside.map(build));
  return el(TAGS.has(tag) ? tag : 'span', ATTRIBUTES.get(tag), inside.map(build));
}

/**
 * The first paragraph of a description as a line without marks.
 * @returns `{text, isWhole}` whether that is all there is
 */
export function summaryOf(description) {
  const tree = treeOf(description);
  const [first = ''] = tree;
  return { text: textOf(first).replace(/\s+/g, ' ').trim(), isWhole: tree.length < 2 && !hasMore(first) };
}

const textOf = (node) => (typeof node === 'string' ? node : node.slice(node[0] === 'a' ? 2 : 1).map(textOf).join(''));

// Links and lists cannot be part of a line that opens something.
const hasMore = (node) =>
  typeof node !== 'string' && (!['p', 'em', 'strong', 'code', 's'].includes(node[0]) || node.slice(1).some(hasMore));
