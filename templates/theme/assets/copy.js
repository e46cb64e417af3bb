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
