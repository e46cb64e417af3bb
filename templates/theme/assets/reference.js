import { Account } from './reference-account.js';
import { append, el, link, safeAddress, speaker } from './reference-dom.js';
import { History } from './reference-history.js';
import { OwnKey } from './reference-key.js';
import { markdown } from './reference-markdown.js';
import { isPlace, operationItem, titleOf } from './reference-groups.js';
import { navigation } from './reference-nav.js';
import { operationView } from './reference-operation.js';
import { schemaView } from './reference-schema-view.js';
import { schemeText, serverText } from './reference-access.js';
import { DocumentError, DocumentStore } from './reference-store.js';

// Turns the list of operations that the server wrote into the reference: one operation at a time, by `#op-<anchor>`.

/** Up to so many operations the beginning lists all of them. */
const MOST_LISTED = 60;

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
    this.secrets = new Map();
    this.views = new Map();
    this.history = new History({ say });
    /** Scheme → what was typed of a client of OAuth. */
    this.clients = new Map();
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
    this.nav = navigation(this.index, this);
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
    const { kind, keys = [], isKeyless = false } = this.settings;
    // Who has a key calls with it: its plan allows more.
    if (kind !== 'api') return { ...index, isKeyless, beginsWithoutKey: isKeyless && keys.length === 0 };
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
    this.fold.open = false;
    if (this.showSchema(isMove)) return;
    this.nav.select(entry);
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

  /** A schema has a page, too: `#schema-<name>`. @returns whether one is asked for */
  showSchema(isMove) {
    const { at, names } = this.index.schemas;
    const name = location.hash.startsWith('#schema-') ? decoded(location.hash.slice(8)) : null;
    if (name === null || !names.includes(name)) return false;
    this.nav.selectSchema(name);
    const heading = el('h2', { tabindex: -1, dir: 'auto' }, name);
    const $ref = at + name.replaceAll('~', '~0').replaceAll('/', '~1');
    const what = el('div', { class: 'stack reference-what' }, heading, schemaView({ $ref }, this));
    this.main.replaceChildren(el('article', { class: 'reference-operation' }, what));
    document.title = `${name} · ${this.title}`;
    if (isMove) {
      heading.focus({ preventScroll: true });
      this.root.scrollIntoView({ block: 'start' });
    }
    return true;
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
    const what = el(
      'div',
      { class: 'stack reference-what' },
      el('h2', { dir: 'auto' }, index.title || say('untitled')),
      index.summary ? el('p', { class: 'soft', dir: 'auto' }, index.summary) : null,
      index.description ? markdown(index.description) : null,
      index.operations.length > 0
        ? el('p', {}, el('a', { class: 'button', href: `#op-${index.operations[0].anchor}` }, say('first-operation')))
        : el('p', { class: 'soft' }, say('no-operations')),
    );
    const fields = el('div', { class: 'reference-fields' }, index.tags.map((_tag, number) => this.tagged(number)), this.facts());
    return el('article', { class: 'reference-intro' }, what, this.addresses(), fields);
  }

  /** Where the API answers and how one gets in: what is looked for most. */
  addresses() {
    const { servers, schemes } = this.index;
    const { say } = this;
    if (servers.length + schemes.length === 0) return null;
    const panel = (title, items) =>
      items.length === 0
        ? null
        : el('div', { class: 'code-dark' }, el('div', { class: 'code-head' }, el('h3', { class: 'code-title' }, title)), el('ul', { class: 'code-list' }, items));
    return el(
      'div',
      { class: 'reference-side' },
      panel(say('servers'), servers.map((server) => append(el('li', {}), serverText(server, say)))),
      panel(say('access'), schemes.map((scheme) => append(el('li', {}), schemeText(scheme, say)))),
    );
  }

  /** A tag with its description, and its operations where there are few. */
  tagged(number) {
    const { operations, tags } = this.index;
    const { name, description, docs } = tags[number];
    const isListed = operations.length <= MOST_LISTED && isPlace(tags[number]);
    const members = isListed ? operations.filter((entry) => entry.tags.includes(number)) : [];
    if (description === '' && members.length === 0) return null;
    return el(
      'section',
      { class: 'stack' },
      name === '' ? null : el('h3', { dir: 'auto' }, titleOf(tags[number], this.say)),
      description === '' ? null : markdown(description),
      docs.url === '' ? null : el('p', {}, link(docs.url, docs.name || docs.url)),
      members.length > 0 ? el('ul', { class: 'reference-list reference-tagged' }, members.map((entry) => operationItem(entry, this.say))) : null,
    );
  }

  facts() {
    const { index, say } = this;
    const facts = [
      [say('format'), index.format],
      [say('version'), index.version],
      [say('operations'), index.operations.length],
      [say('contact'), named(index.contact, index.contact.email)],
      [say('license'), named(index.license)],
      [say('terms'), index.termsOfService ? link(index.termsOfService, index.termsOfService) : null],
      [say('documentation'), named(index.externalDocs)],
    ];
    const rows = facts.filter(([, value]) => value !== null && value !== '');
    return el(
      'details',
      { class: 'reference-fold' },
      el('summary', {}, say('about-document')),
      el('dl', { class: 'facts' }, rows.flatMap(([name, value]) => [el('dt', {}, name), append(el('dd', { dir: 'auto' }), [value].flat())])),
    );
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function named({ name, url }, email = '') {
  const parts = [];
  if (url) parts.push(link(url, name || url));
  else if (name) parts.push(name);
  if (email && safeAddress(`mailto:${email}`)) parts.push(' ', link(`mailto:${email}`, email));
  return parts.length > 0 ? parts : null;
}

for (const root of document.querySelectorAll('[data-reference]')) start(root);
