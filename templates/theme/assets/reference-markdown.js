import { append, el, link } from './reference-dom.js';

// Descriptions, which the server has taken apart: it sends trees, and elements are made of them here by names that this
// program knows.

const LONGEST = 50000;
const TAGS = new Set(
  ['p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'em', 'strong', 's', 'br', 'hr'],
);
const ATTRIBUTES = new Map([['pre', { dir: 'ltr', tabindex: 0 }], ['table', { tabindex: 0 }]]);

/** Text → its tree. */
const trees = new Map();

/** @param prose `[text, tree]` of every description that is more than a paragraph */
export function keepProse(prose) {
  for (const [text, tree] of prose) trees.set(text, tree);
}

export function markdown(description) {
  const text = description.slice(0, LONGEST);
  const root = el('div', { class: 'prose', dir: 'auto' });
  const tree = trees.get(text) ?? (text.trim() === '' ? [] : [['p', text.trim()]]);
  return append(root, tree.map(build));
}

function build(node) {
  if (typeof node === 'string') return document.createTextNode(node);
  const [tag, ...inside] = node;
  if (tag === 'a') return link(inside[0], inside.slice(1).map(build));
  // The page has its own headings.
  if (/^h[1-6]$/.test(tag)) return el('p', { class: 'reference-heading' }, inside.map(build));
  return el(TAGS.has(tag) ? tag : 'span', ATTRIBUTES.get(tag), inside.map(build));
}

/** Room for a sentence or two in one line of a fold. */
const LONGEST_SUMMARY = 160;

/**
 * The beginning of a description as one line without marks: its first paragraph, or as many sentences or words of it as fit.
 * @returns `{text, isWhole}` whether that is all there is
 */
export function summaryOf(description) {
  const [paragraph] = description.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, ' ').replaceAll('`', '');
  const isAll = paragraph.length === description.trim().length;
  if (line.length <= LONGEST_SUMMARY) return { text: line, isWhole: isAll };
  const start = line.slice(0, LONGEST_SUMMARY);
  const sentence = Math.max(...['. ', '! ', '? ', '؟ '].map((end) => start.lastIndexOf(end)));
  if (sentence > 0) return { text: start.slice(0, sentence + 1), isWhole: false };
  const word = start.lastIndexOf(' ');
  return { text: `${word > 0 ? start.slice(0, word) : start} …`, isWhole: false };
}
