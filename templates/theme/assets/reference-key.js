import { el, labelled } from './reference-dom.js';

// A developer's own key, filled in for them. It is asked for when they open the form, not before: showing a key is recorded.

export class OwnKey {
  /** @param form the hidden form of the page, with its token; null for visitors */
  constructor(form, keys, { say }) {
    this.form = form;
    this.keys = keys;
    this.say = say;
    this.chosen = 0;
    /** Id → key, as long as the page is open. */
    this.known = new Map();
  }

  /** The part of the form about the key; `fill` is called with it once it is known. */
  element(fill) {
    const { say, keys } = this;
    const box = el('div', { class: 'stack reference-key' });
    if (!this.form) return null;
    if (keys.length === 0) return el('p', { class: 'small soft' }, say('no-key'));
    const status = el('p', { class: 'small', role: 'status' });
    const place = el('div', {});
    const ask = (password) => void this.ask({ status, place, ask, fill, password });
    if (keys.length > 1) {
      const select = el(
        'select',
        { class: 'input' },
        keys.map(({ displayName, hint }, number) =>
          el('option', { value: number, selected: number === this.chosen }, `${displayName} · ${hint}`),
        ),
      );
      select.addEventListener('change', () => {
        this.chosen = select.selectedIndex;
        ask();
      });
      box.append(labelled(say('own-key'), select));
    }
    box.append(status, place);
    ask();
    return box;
  }

  async ask({ status, place, ask, fill, password }) {
    const { say } = this;
    const { id, app, displayName, hint } = this.keys[this.chosen];
    const known = this.known.get(id);
    const filled = (key) => {
      status.textContent = say('key-filled', { app: displayName || app, hint });
      place.replaceChildren();
      fill(key);
    };
    if (known) return filled(known);
    status.textContent = '';
    const fields = new URLSearchParams(new FormData(this.form));
    fields.set('credential', String(id));
    if (password) fields.set('_current_password', password);
    try {
      const response = await fetch(this.form.action, { method: 'POST', body: fields, redirect: 'error' });
      const isKey = (response.headers.get('content-type') ?? '').includes('json');
      if (response.ok && isKey) {
        const { key } = await response.json();
        this.known.set(id, key);
        return filled(key);
      }
      // Showing a key asks for a fresh proof of the password; the page of that is a form with this field.
      const needsPassword = (await response.text()).includes('name="_current_password"');
      if (!needsPassword) throw new Error(String(response.status));
      status.textContent = say(password ? 'wrong-password' : 'confirm-password');
      place.replaceChildren(this.passwordForm(ask));
    } catch {
      status.textContent = say('key-failed');
    }
  }

  // No form of its own: it stands inside the one of the request.
  passwordForm(ask) {
    const { say } = this;
    const input = el('input', { class: 'input', type: 'password', autocomplete: 'current-password' });
    const button = el('button', { type: 'button', class: 'button button-small' }, say('fill-in'));
    const go = () => (input.value === '' ? input.focus() : ask(input.value));
    button.addEventListener('click', go);
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      go();
    });
    return el('div', { class: 'stack-s' }, labelled(say('password'), input), button);
  }
}
