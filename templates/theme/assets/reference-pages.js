import { copyBy, copyText, readText } from './copy.js';
import { el } from './reference-dom.js';

// The page that an operation has of its own, which needs no script, and its Markdown.

/** @returns null where the document has no such pages */
export function pageLinks({ anchor }, { say, settings, document, store }) {
  const base = document?.pages ?? settings.pages;
  if (!base) return null;
  const button = el('button', { type: 'button', class: 'button button-small' }, say('copy-markdown'));
  const words = { copied: say('copied'), failed: say('not-copied') };
  const copy = () => copyText(() => readText(`${base}${anchor}.md`, store.headers()));
  button.addEventListener('click', () => void copyBy(button, copy, words));
  const page = el('a', { class: 'small', href: base + anchor }, say('as-page'));
  if (settings.isMarkdownOff) return el('p', { class: 'row reference-links' }, page);
  return el('p', { class: 'row reference-links' }, button, page);
}
