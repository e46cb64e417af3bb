import { copyBy, copyText, readText } from './copy.js';
import './keys.js';
import './palette.js';
import './password-strength.js';

// Makes pages nicer that work without it: copying, asking before something is lost, choosing light or dark.
const root = document.documentElement;
root.classList.add('js');
// Browsers give the clipboard to pages over https alone.
if (navigator.clipboard) root.classList.add('can-copy');

for (const button of document.querySelectorAll('[data-copy]')) {
  const { copy, copied, notCopied: failed } = button.dataset;
  button.addEventListener('click', () => void copyBy(button, () => navigator.clipboard.writeText(copy), { copied, failed }));
}

// Some browsers take a text only in the moment of the click, but a promise of one then.
for (const button of document.querySelectorAll('[data-copy-from]')) {
  const { copyFrom, copied, notCopied: failed } = button.dataset;
  button.addEventListener('click', () => void copyBy(button, () => copyText(() => readText(copyFrom)), { copied, failed }));
}

// Pages say times in UTC, for they do not know better; here the zone of the reader is known.
const moment = new Intl.DateTimeFormat(root.lang, { dateStyle: 'medium', timeStyle: 'short' });
for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = time.textContent;
  time.textContent = moment.format(new Date(time.dateTime));
}

for (const form of document.querySelectorAll('form[data-confirm]')) {
  form.addEventListener('submit', (event) => {
    if (!window.confirm(form.dataset.confirm)) event.preventDefault();
  });
}

// A password may be looked at while it is typed; it is sent as one in any case.
for (const input of document.querySelectorAll('input[data-show]')) {
  const button = document.createElement('button');
  const box = document.createElement('div');
  Object.assign(button, { type: 'button', className: 'button button-small', textContent: input.dataset.show });
  box.className = 'password';
  input.replaceWith(box);
  box.append(input, button);
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.textContent = isShown ? input.dataset.hide : input.dataset.show;
  };
  button.setAttribute('aria-controls', input.id);
  button.addEventListener('click', () => show(input.type === 'password'));
  input.form?.addEventListener('submit', () => show(false));
  if (input.autofocus) input.focus();
}

// What is wrong with a form is where one goes on.
document.querySelector('main [aria-invalid="true"]')?.focus();

// One open menu at a time; Escape and a click elsewhere close it.
const menus = [...document.querySelectorAll('details.menu, details.nav-menu')];
document.addEventListener('click', ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false;
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of menus) {
    if (!menu.open) continue;
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});

for (const button of document.querySelectorAll('.scheme-switch')) {
  button.addEventListener('click', () => {
    const isDark = root.dataset.scheme
      ? root.dataset.scheme === 'dark'
      : window.matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.scheme = isDark ? 'light' : 'dark';
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `portal-scheme=${root.dataset.scheme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  });
}

// Filters cards as somebody types; the form asks the server for the rest.
const filter = document.querySelector('[data-filter]');
filter?.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const card of document.querySelectorAll(filter.dataset.filter)) {
    card.hidden = wanted !== '' && !card.textContent.toLowerCase().includes(wanted);
  }
});

// Samples are painted where there are any.
if (document.querySelector('pre[data-language]')) void import('./highlight.js').then(({ highlightPage }) => highlightPage());
