// The command palette: what can be done on this page, and what the page of the search finds.
const PAUSE_MS = 120;
const palette = document.querySelector('#palette');
const wanted = palette?.querySelector('input');
const found = palette?.querySelector('.found');
/** Of the request whose answer is wanted; the others are stopped. */
let latest = new AbortController();
let pause;
/** Whether what is shown belongs to an older text. */
let isStale = false;

function stop() {
  clearTimeout(pause);
  latest.abort();
  isStale = true;
}

async function find() {
  stop();
  const mine = new AbortController();
  latest = mine;
  try {
    const address = `${wanted.form.action}?q=${encodeURIComponent(wanted.value)}`;
    const answer = await fetch(address, { signal: mine.signal });
    // The sign-in has ended: its page says so.
    if (answer.redirected) return location.reload();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (mine.signal.aborted) return;
    found.replaceChildren(...commands(), ...(page.querySelector('#search-results')?.children ?? []));
    isStale = false;
  } catch (error) {
    // Without an answer Enter still leads to the page of the search.
    if (error.name !== 'AbortError') found.replaceChildren();
  }
}

/** The buttons of the page behind it. */
function commands() {
  const text = wanted.value.trim().toLowerCase();
  const all = document.querySelectorAll('main .page-header a, main aside :is(a.button, button.button)');
  const matching = [...all].filter(({ textContent }) => textContent.toLowerCase().includes(text));
  if (matching.length === 0) return [];
  const section = document.createElement('section');
  const head = section.appendChild(document.createElement('h2'));
  head.className = 'found-head';
  head.textContent = palette.dataset.here;
  const list = section.appendChild(document.createElement('ul'));
  list.className = 'plain-list';
  for (const element of matching) {
    const button = list.appendChild(document.createElement('li')).appendChild(document.createElement('button'));
    Object.assign(button, { type: 'button', className: 'found-link', textContent: element.textContent.trim() });
    button.addEventListener('click', () => {
      palette.close();
      element.click();
    });
  }
  return [section];
}

palette?.addEventListener('opened', () => {
  wanted.select();
  find();
});
palette?.addEventListener('close', stop);
wanted?.addEventListener('input', () => {
  stop();
  pause = setTimeout(find, PAUSE_MS);
});
palette?.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('.found-link')];
  const index = links.indexOf(document.activeElement);
  if (event.key === 'Enter' && event.target === wanted && !isStale && links[0]) {
    event.preventDefault();
    links[0].click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    (links[index + (event.key === 'ArrowDown' ? 1 : -1)] ?? wanted).focus();
  } else if (event.key.length === 1 && event.target !== wanted && event.key !== ' ') wanted.focus();
});
