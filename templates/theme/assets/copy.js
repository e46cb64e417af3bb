// Copies texts, and says so: on the button, and to whoever does not see it.

const WAIT_MS = 2000;
// It must be there before it says something.
const region = document.createElement('p');
region.className = 'visually-hidden';
region.setAttribute('role', 'status');
document.body.append(region);
let timer;

/**
 * Runs `copy` for a click on `button`, which says the outcome for two seconds.
 * @param words `copied`, `failed`
 */
export async function copyBy(button, copy, { copied, failed }) {
  const said = (button.dataset.says ??= button.textContent);
  // The same word again is news, too.
  region.textContent = '';
  clearTimeout(timer);
  let outcome = copied;
  try {
    await copy();
  } catch {
    outcome = failed;
  }
  button.textContent = outcome;
  region.textContent = outcome;
  timer = setTimeout(() => (region.textContent = ''), WAIT_MS);
  setTimeout(() => (button.textContent = said), WAIT_MS);
}

/** The text at one of our own addresses. */
export async function readText(address, headers = {}) {
  const response = await fetch(address, { headers, redirect: 'error' });
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}

// Some browsers take a text only in the moment of the click, but a promise of one then.
export async function copyText(read) {
  if (typeof ClipboardItem === 'undefined') return navigator.clipboard.writeText(await read());
  const text = read().then((found) => new Blob([found], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
}
