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
  if (document.querySelector('dialog[open]')) return;
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

// What is pressed with keys is told on the page, and all of it in a dialog. Badges are switched off for good.
const keys = document.querySelector('#keys');
const badges = keys?.querySelector('[data-badges]');
const BADGES = 'portal-console-badges';
const showBadges = (isShown) => document.documentElement.classList.toggle('key-badges', isShown);

function describeKeys() {
  const pairs = [...document.querySelectorAll('[data-hotkey], [data-row-hotkey]')].map((element) => [
    (element.dataset.hotkey ?? element.dataset.rowHotkey).replace('Mod+', 'Ctrl/⌘ + '),
    element.getAttribute('aria-label') ?? element.placeholder ?? element.textContent.trim(),
  ]);
  const list = keys.querySelector('[data-keys]');
  if (rows.length > 0) pairs.push(['j, k', list.dataset.rows]);
  if (document.querySelector('[data-row] input[type=checkbox]')) pairs.push(['x', list.dataset.select]);
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

if (badges) {
  badges.checked = localStorage.getItem(BADGES) !== 'off';
  showBadges(badges.checked);
  badges.addEventListener('change', () => {
    localStorage.setItem(BADGES, badges.checked ? 'on' : 'off');
    showBadges(badges.checked);
  });
}

for (const button of document.querySelectorAll('[data-opens]')) {
  button.addEventListener('click', () => {
    const dialog = document.getElementById(button.dataset.opens);
    if (dialog === keys) describeKeys();
    dialog.showModal();
    if (dialog === palette) find();
  });
}

// The palette shows what the page of the search finds.
const palette = document.querySelector('#palette');
const wanted = palette?.querySelector('input');
let asked = 0;

async function find() {
  asked += 1;
  const mine = asked;
  const answer = await fetch(`${wanted.form.action}?q=${encodeURIComponent(wanted.value)}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // Slower than what was typed after it.
  if (mine !== asked) return;
  palette.querySelector('.found').replaceChildren(...(page.querySelector('#search-results')?.children ?? []));
}

let pause;
wanted?.addEventListener('input', () => {
  clearTimeout(pause);
  pause = setTimeout(find, 120);
});
palette?.addEventListener('keydown', (event) => {
  const links = [...palette.querySelectorAll('.found a')];
  const index = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && event.target === wanted && links[0]) {
    event.preventDefault();
    links[0].click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    (links[index + (event.key === 'ArrowDown' ? 1 : -1)] ?? wanted).focus();
  }
});
