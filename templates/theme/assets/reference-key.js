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
    const ask = (proof) => void this.ask({ status, place, ask, fill, proof });
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

  /**
   * The choice of a key that the portal adds to a request, and that is not shown here.
   * @param choose called with its id; null for none
   */
  chooser(choose) {
    const { say, keys } = this;
    if (!this.form) return null;
    if (keys.length === 0) return el('p', { class: 'small soft' }, say('no-key'));
    const options = keys.map(({ id, displayName, hint }) => el('option', { value: id }, `${displayName} · ${hint}`));
    const select = el('select', { class: 'input' }, options, el('option', { value: '' }, say('other-key')));
    select.addEventListener('change', () => choose(select.value === '' ? null : Number(select.value)));
    choose(keys[0].id);
    return labelled(say('own-key'), select, say('key-added'));
  }

  async ask({ status, place, ask, fill, proof = [] }) {
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
    for (const [name, value] of proof) fields.set(name, value);
    try {
      const response = await fetch(this.form.action, { method: 'POST', body: fields, redirect: 'error' });
      const isKey = (response.headers.get('content-type') ?? '').includes('json');
      if (response.ok && isKey) {
        const { key } = await response.json();
        this.known.set(id, key);
        return filled(key);
      }
      const questions = proofsIn(await response.text());
      if (questions.length === 0) throw new Error(String(response.status));
      status.textContent = say(proof.length > 0 ? 'wrong-password' : 'confirm-password');
      place.replaceChildren(this.proofForm(questions, ask));
    } catch {
      status.textContent = say('key-failed');
    }
  }

  // No form of its own: it stands inside the one of the request.
  proofForm(questions, ask) {
    const { say } = this;
    const inputs = questions.map(({ name, type, autocomplete }) => el('input', { class: 'input', name, type, autocomplete }));
    const button = el('button', { type: 'button', class: 'button button-small' }, say('fill-in'));
    const go = () => {
      const proof = inputs.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]);
      if (proof.length === 0) inputs[0].focus();
      else ask(proof);
    };
    button.addEventListener('click', go);
    const fields = inputs.map((input, number) => {
      input.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        go();
      });
      return labelled(questions[number].label, input);
    });
    return el('div', { class: 'stack-s' }, fields, button);
  }
}

/**
 * Showing a key asks for a fresh proof of who asks. The server answers with the page for that, whose form is read here
 * (and run nowhere): the password, and a code where a second factor is set up.
 */
function proofsIn(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  return [...page.querySelectorAll('input[name^="_current_"]')].map((input) => ({
    name: input.name,
    type: input.type === 'password' ? 'password' : 'text',
    autocomplete: input.autocomplete || 'off',
    label: page.querySelector(`label[for="${input.id}"]`)?.textContent ?? input.name,
  }));
}
