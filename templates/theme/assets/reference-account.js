import { el, labelled } from './reference-dom.js';

// Signing in to the portal's own API from its reference. Tokens live in this page's memory and nowhere else: a reload, or
// closing the page, forgets them.

export class Account {
  /**
   * @param contexts `{name, login, refresh, logout}` each, with the addresses of its API
   * @param changed called when somebody came or left
   */
  constructor(contexts, { say }, changed) {
    this.contexts = contexts;
    this.say = say;
    this.changed = changed;
    /** Context → `{access, refresh, email}`. */
    this.tokens = new Map();
    this.current = contexts[0]?.name;
  }

  /** The token for requests of the chosen context; empty without one. */
  get token() {
    return this.tokens.get(this.current)?.access ?? '';
  }

  headers() {
    return this.token === '' ? {} : { Authorization: `Bearer ${this.token}` };
  }

  /** A new access token after the old one ended. @returns whether there is one */
  async renew() {
    const held = this.tokens.get(this.current);
    const context = this.contexts.find(({ name }) => name === this.current);
    if (!held?.refresh || !context) return false;
    const answer = await post(context.refresh, { refresh_token: held.refresh });
    if (answer.status !== 200) {
      this.tokens.delete(this.current);
      this.changed();
      return false;
    }
    this.keep(answer.body.data, held.email);
    return true;
  }

  keep(data, email) {
    this.tokens.set(this.current, { access: data.access_token, refresh: data.refresh_token ?? '', email });
  }

  element() {
    const { say } = this;
    const held = this.tokens.get(this.current);
    if (!held) return this.signInForm();
    const leave = el('button', { type: 'button', class: 'button button-small' }, say('sign-out'));
    leave.addEventListener('click', () => this.leave());
    return el('p', { class: 'row', role: 'status' }, el('span', {}, say('signed-in', { email: held.email })), leave);
  }

  signInForm() {
    const { say } = this;
    const field = (type, autocomplete) => el('input', { class: 'input', type, autocomplete, dir: 'ltr', required: true });
    const email = field('email', 'username');
    const password = field('password', 'current-password');
    const token = el('input', { class: 'input', type: 'password', autocomplete: 'off', dir: 'ltr' });
    const problem = el('p', { class: 'error', role: 'alert' });
    const form = el(
      'form',
      { class: 'stack' },
      labelled(say('email'), email),
      labelled(say('password'), password),
      problem,
      el('button', { class: 'button button-main' }, say('sign-in')),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.signIn(email.value, password.value, problem);
    });
    const use = el('button', { class: 'button button-small' }, say('use-token'));
    const other = el('form', { class: 'stack' }, labelled(say('token'), token), use);
    other.addEventListener('submit', (event) => {
      event.preventDefault();
      if (token.value.trim() === '') return;
      this.keep({ access_token: token.value.trim() }, say('own-token'));
      this.changed();
    });
    const fold = el('details', { class: 'reference-fold' }, el('summary', {}, say('have-token')), other);
    return el('div', { class: 'stack' }, form, fold);
  }

  async signIn(email, password, problem) {
    const { say } = this;
    const context = this.contexts.find(({ name }) => name === this.current);
    problem.textContent = '';
    try {
      const { status, body } = await post(context.login, { email, password });
      if (status === 200 && body.data?.access_token) {
        this.keep(body.data, email);
        this.changed();
      } else problem.textContent = status === 202 ? say('second-step') : (body.message ?? say('no-answer'));
    } catch {
      problem.textContent = say('no-answer');
    }
  }

  async leave() {
    const context = this.contexts.find(({ name }) => name === this.current);
    const held = this.tokens.get(this.current);
    this.tokens.delete(this.current);
    this.changed();
    if (!held?.refresh) return;
    const headers = { Authorization: `Bearer ${held.access}` };
    // Gone from this page in any case; the server forgets it by itself when it cannot be told.
    await post(context.logout, { refresh_token: held.refresh }, headers).catch(() => undefined);
  }
}

async function post(address, body, headers = {}) {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify(body),
    credentials: 'omit',
    redirect: 'error',
  });
  return { status: response.status, body: await response.json() };
}
