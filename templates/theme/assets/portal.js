// Makes pages nicer that work without it: copying, asking before something is lost, choosing light or dark.
const root = document.documentElement;
root.classList.add('js');

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    const said = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = said), 2000);
  });
}

for (const form of document.querySelectorAll('form[data-confirm]')) {
  form.addEventListener('submit', (event) => {
    if (!window.confirm(form.dataset.confirm)) event.preventDefault();
  });
}

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

const schemeSwitch = document.querySelector('.scheme-switch');
schemeSwitch?.addEventListener('click', () => {
  const isDark = root.dataset.scheme
    ? root.dataset.scheme === 'dark'
    : window.matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.scheme = isDark ? 'light' : 'dark';
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `portal-scheme=${root.dataset.scheme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
});

// Filters cards as somebody types; the form asks the server for the rest.
const filter = document.querySelector('[data-filter]');
filter?.addEventListener('input', () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const card of document.querySelectorAll(filter.dataset.filter)) {
    card.hidden = wanted !== '' && !card.textContent.toLowerCase().includes(wanted);
  }
});
