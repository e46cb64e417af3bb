import { Account } from './reference-account.js';
import { append, el, link, safeAddress, speaker } from './reference-dom.js';
import { OwnKey } from './reference-key.js';
import { markdown } from './reference-markdown.js';
import { navigation } from './reference-nav.js';
import { operationView } from './reference-operation.js';
import { DocumentError, DocumentStore } from './reference-store.js';

// Turns the list of operations that the server wrote into the reference: one operation at a time, by `#op-<anchor>`.

function start(root) {
  const say = speaker(JSON.parse(root.dataset.words));
  const settings = JSON.parse(root.dataset.settings);
  const reference = new Reference(root, say, settings);
  void reference.open();
}

class Reference {
  constructor(root, say, settings) {
    this.root = root;
    this.say = say;
    this.settings = settings;
    this.title = document.title;
    this.language = { name: 'curl' };
    this.secrets = new Map();
    this.views = new Map();
    this.document = settings.documents?.[0];
    if (settings.kind === 'api') {
      this.settings.origins = [location.origin];
      this.account = new Account(settings.documents, { say }, () => this.reopen());
    }
    const form = document.querySelector('#reference-key');
    this.ownKey = new OwnKey(form, settings.keys ?? [], { say });
    window.addEventListener('hashchange', () => void this.show(true));
  }

  // Signing in or out changes what the forms say, and may open a document.
  reopen() {
    this.views.clear();
    void this.open();
  }

  async open() {
    const base = this.document?.data ?? this.root.dataset.reference;
    this.store = new DocumentStore(base, () => this.account?.headers() ?? {});
    try {
      this.index = this.prepared(await this.store.index());
    } catch (error) {
      return this.fail(error);
    }
    this.entries = new Map(this.index.operations.map((entry) => [entry.anchor, entry]));
    this.nav = navigation(this.index, this.say);
    this.main = el('div', { class: 'reference-main' });
    // On a narrow screen the list is folded away above.
    const fold = el('details', { class: 'reference-menu' }, el('summary', { class: 'button' }, this.say('operations')));
    const wide = window.matchMedia('(min-width: 60rem)');
    const place = () => (wide.matches ? this.aside.append(this.nav.element) : fold.append(this.nav.element));
    this.aside = el('aside', { class: 'reference-aside' }, this.head(), fold);
    this.fold = fold;
    place();
    wide.onchange = place;
    this.root.replaceChildren(this.aside, this.main);
    this.root.dataset.ready = '';
    await this.show(false);
  }

  /** Addresses that begin with a slash are the portal's own where the portal describes itself. */
  prepared(index) {
    if (this.settings.kind !== 'api') return index;
    const servers = index.servers.map((server) =>
      server.url.startsWith('/') ? { ...server, url: location.origin + server.url } : server,
    );
    return { ...index, servers };
  }

  head() {
    const { account, settings, say } = this;
    if (!account) return null;
    const box = el('div', { class: 'stack-s reference-account' });
    if (settings.documents.length > 1) {
      const choices = settings.documents.map((one) => {
        const button = el('button', { type: 'button', class: 'reference-choice' }, one.title);
        button.setAttribute('aria-pressed', String(one === this.document));
        button.addEventListener('click', () => this.choose(one));
        return button;
      });
      box.append(el('div', { class: 'reference-choices', role: 'group', 'aria-label': say('context') }, choices));
    }
    if (account.token !== '') box.append(account.element());
    else {
      const fold = el('details', { class: 'reference-fold' }, el('summary', {}, say('sign-in-here')));
      fold.append(account.element());
      box.append(fold);
    }
    return box;
  }

  choose(one) {
    this.document = one;
    this.account.current = one.name;
    if (location.hash !== '') history.pushState(null, '', location.pathname + location.search);
    this.reopen();
  }

  fail(error) {
    const { say, account } = this;
    const isShut = error instanceof DocumentError && (error.status === 401 || error.status === 403);
    const isChanged = error instanceof DocumentError && error.status === 404;
    const text = say(isShut ? 'shut' : isChanged ? 'changed' : 'not-loaded');
    const note = el('div', { class: 'stack' }, el('p', { class: 'flash flash-bad', role: 'alert' }, text));
    if (isShut && account) {
      this.root.replaceChildren(el('aside', { class: 'reference-aside' }, this.head()), el('div', {}, note));
      return;
    }
    // What the server wrote stays: it is all that there is.
    this.root.before(note);
  }

  /** @param isMove whether the reader went there; the beginning of a page keeps its focus */
  async show(isMove) {
    if (!this.index) return;
    const hash = location.hash.startsWith('#op-') ? location.hash.slice(4) : '';
    const entry = this.entries.get(hash);
    this.nav.select(entry);
    this.fold.open = false;
    if (!entry) {
      this.main.replaceChildren(this.intro());
      document.title = this.title;
      return;
    }
    const shown = await this.viewOf(entry);
    // Somebody may have gone on meanwhile.
    if (location.hash !== `#op-${hash}`) return;
    this.main.replaceChildren(shown.view);
    document.title = `${entry.summary || entry.path} · ${this.title}`;
    if (!isMove) return;
    shown.heading?.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: 'start' });
  }

  async viewOf(entry) {
    const kept = this.views.get(entry.number);
    if (kept) return kept;
    try {
      const operation = await this.store.operation(entry.number);
      if (operation === null) return { view: el('p', { class: 'flash' }, this.say('too-large')) };
      const view = operationView(entry, operation, this);
      this.views.set(entry.number, view);
      return view;
    } catch {
      return { view: el('p', { class: 'flash flash-bad', role: 'alert' }, this.say('not-loaded')) };
    }
  }

  intro() {
    const { index, say } = this;
    const facts = [
      [say('format'), index.format],
      [say('version'), index.version],
      [say('operations'), index.operations.length],
      ...index.servers.map(({ url, description }) => [say('server'), [el('code', { class: 'break' }, url), ' ', el('bdi', {}, description)]]),
      ...index.schemes.map((scheme) => [say('access'), schemeText(scheme)]),
      [say('contact'), named(index.contact, index.contact.email)],
      [say('license'), named(index.license)],
      [say('terms'), index.termsOfService ? link(index.termsOfService, index.termsOfService) : null],
      [say('documentation'), named(index.externalDocs)],
    ];
    const rows = facts.filter(([, value]) => value !== null && value !== '');
    return el(
      'div',
      { class: 'stack-l reference-intro' },
      el('h2', { dir: 'auto' }, index.title || say('untitled')),
      el('dl', { class: 'facts' }, rows.flatMap(([name, value]) => [el('dt', {}, name), append(el('dd', { dir: 'auto' }), [value].flat())])),
      index.description ? markdown(index.description) : null,
      index.tags.filter(({ description }) => description !== '').map(({ name, description }) =>
        el('section', { class: 'stack' }, el('h3', { dir: 'auto' }, name), markdown(description)),
      ),
      index.operations.length > 0
        ? el('p', {}, el('a', { class: 'button', href: `#op-${index.operations[0].anchor}` }, say('first-operation')))
        : el('p', { class: 'soft' }, say('no-operations')),
    );
  }
}

function schemeText({ name, type, in: place, param, scheme, description }) {
  const how = type === 'apiKey' ? `${place} ${param}` : type === 'http' ? scheme : type;
  return [el('code', {}, name), ' · ', el('bdi', {}, how), description === '' ? null : markdown(description)];
}

function named({ name, url }, email = '') {
  const parts = [];
  if (url) parts.push(link(url, name || url));
  else if (name) parts.push(name);
  if (email && safeAddress(`mailto:${email}`)) parts.push(' ', link(`mailto:${email}`, email));
  return parts.length > 0 ? parts : null;
}

for (const root of document.querySelectorAll('[data-reference]')) start(root);
