// Keys of the console. Every page works without them: they press what is there.
const rows = [...document.querySelectorAll('[data-row]')];
let at = rows.findIndex((row) => row.hasAttribute('data-at'));
rows[at]?.scrollIntoView({ block: 'nearest' });

function isTyping({ target }) {
  return target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]');
}

/** `c`, `/`, `Mod+Enter`: what `data-hotkey` says. */
function nameOf({ key, metaKey, ctrlKey }) {
  return (metaKey || ctrlKey ? 'Mod+' : '') + key;
}

function press(element) {
  if (element.matches('input, select, textarea, [data-focus]')) element.focus();
  else element.click();
}

function moveTo(index) {
  rows[at]?.removeAttribute('data-at');
  at = Math.max(0, Math.min(rows.length - 1, index));
  rows[at].setAttribute('data-at', '');
  rows[at].scrollIntoView({ block: 'nearest' });
  (rows[at].querySelector('.row-link, a, button') ?? rows[at]).focus();
}

document.addEventListener('keydown', (event) => {
  const name = nameOf(event);
  if (isTyping(event) && !name.startsWith('Mod+')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (event.altKey || event.defaultPrevented) return;
  const scope = rows[at] ?? document;
  const element =
    scope.querySelector(`[data-row-hotkey="${CSS.escape(name)}"]`) ??
    document.querySelector(`[data-hotkey="${CSS.escape(name)}"]`);
  if (element) {
    event.preventDefault();
    press(element);
  } else if (rows.length > 0 && (name === 'j' || name === 'k')) {
    event.preventDefault();
    moveTo(at + (name === 'j' ? 1 : -1));
  } else if (rows[at] && name === 'x') rows[at].querySelector('input[type=checkbox]')?.click();
});
