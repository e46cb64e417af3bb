// Keys of a page, of the portal and of the console. Every page works without them: they press what is there.
const KEYS = 'portal-console-keys';
const BADGES = 'portal-console-badges';

/** What a page adds: where to look first, what else a key does, and what the window of keys says of that. */
const more = { scope: () => document, press: () => false, describe: () => [] };

/** @param added any of `scope()`, `press(name, target)` which says whether it did something, `describe(words)` */
export const addKeys = (added) => Object.assign(more, added);

/** What this device remembers; on unless it was switched off. */
function isOn(name) {
  try {
    return localStorage.getItem(name) !== 'off';
  } catch {
    return true;
  }
}

function isTyping({ target }) {
  // In a dialog that was closed the field may still have the focus.
  if (target.closest('dialog:not([open])')) return false;
  return target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]');
}

/** `c`, `/`, `Mod+Enter`: what `data-hotkey` says. Letters of other alphabets stand for the Latin ones of their keys. */
function nameOf({ key, code, shiftKey, metaKey, ctrlKey }) {
  const isLatin = key.length > 1 || key.codePointAt(0) < 128;
  const letter = /^Key([A-Z])$/.exec(code)?.[1].toLowerCase();
  const sign = code === 'Slash' ? (shiftKey ? '?' : '/') : key;
  const name = isLatin ? key : (letter ?? sign);
  return metaKey || ctrlKey ? `Mod+${name.length > 1 ? name : name.toLowerCase()}` : name;
}

function press(element) {
  if (!element.matches('input, select, textarea, [data-focus]')) return element.click();
  const fold = element.closest('details');
  if (fold) fold.open = true;
  element.focus();
  return element.select?.();
}

/** `g ` after the first of two keys. */
let first = '';
let forget;

document.addEventListener('keydown', (event) => {
  if (event.altKey || event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
  const name = first + nameOf(event);
  if (isTyping(event) && !name.startsWith('Mod+')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (!isOn(KEYS) && !name.startsWith('Mod+')) return;
  clearTimeout(forget);
  first = name === 'g' ? 'g ' : '';
  if (first) forget = setTimeout(() => (first = ''), 1500);
  const element =
    more.scope().querySelector(`[data-row-hotkey="${CSS.escape(name)}"]`) ??
    document.querySelector(`[data-hotkey="${CSS.escape(name)}"]`);
  if (element) press(element);
  else if (!more.press(name, event.target)) return;
  event.preventDefault();
});

// What is pressed with keys is told on the page, and all of it in a dialog.
const keys = document.querySelector('#keys');

function describeKeys() {
  const list = keys.querySelector('[data-keys]');
  const pairs = [...document.querySelectorAll('[data-hotkey], [data-row-hotkey]')].map((element) => [
    (element.dataset.hotkey ?? element.dataset.rowHotkey).replace('Mod+', 'Ctrl / ⌘ + '),
    element.getAttribute('aria-label') ?? (element.placeholder || element.firstChild.textContent.trim()),
  ]);
  pairs.push(...more.describe(list.dataset));
  list.replaceChildren(
    ...[...new Map(pairs)].map(([key, does]) => {
      const line = document.createElement('div');
      const [term, text] = ['dt', 'dd'].map((tag) => line.appendChild(document.createElement(tag)));
      term.appendChild(document.createElement('kbd')).textContent = key;
      text.textContent = does;
      return line;
    }),
  );
}

const showBadges = () => document.documentElement.classList.toggle('key-badges', isOn(KEYS) && isOn(BADGES));
showBadges();
for (const box of keys?.querySelectorAll('[data-remember]') ?? []) {
  box.checked = isOn(box.dataset.remember);
  box.addEventListener('change', () => {
    localStorage.setItem(box.dataset.remember, box.checked ? 'on' : 'off');
    showBadges();
  });
}

for (const button of document.querySelectorAll('[data-opens]')) {
  button.addEventListener('click', (event) => {
    const dialog = document.getElementById(button.dataset.opens);
    // A link leads to a page that does the same: with a modifier it opens that.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (dialog === keys) describeKeys();
    dialog.showModal();
    dialog.dispatchEvent(new Event('opened'));
  });
}
