import { el } from './reference-dom.js';

// What was sent from this page, for as long as it is open. Nothing of it is stored: requests and answers may hold secrets.

const MOST = 20;

/** A copy of what stands in a form, which typing does not change. */
function copyOf(values) {
  const { body } = values;
  return {
    ...values,
    ...{ variables: new Map(values.variables), parameters: new Map(values.parameters) },
    body: body && { ...body, fields: new Map(body.fields), files: new Map(body.files) },
  };
}

export class History {
  constructor({ say }) {
    this.say = say;
    this.entries = [];
    this.lists = new Set();
  }

  /** @param sent `{entry, values, got}`: the operation, its form, and the answer */
  add({ entry, values, got }) {
    this.entries.unshift({ entry, values: copyOf(values), got, at: new Date() });
    this.entries.length = Math.min(this.entries.length, MOST);
    for (const draw of this.lists) draw();
  }

  /**
   * The list beside the form of an operation.
   * @param again called with what stood in the form, and its answer
   */
  element(entry, again) {
    const { say } = this;
    const list = el('ol', { class: 'reference-history' });
    const details = el('details', { class: 'reference-fold' }, el('summary', {}, say('history')), list);
    const draw = () => {
      details.hidden = this.entries.length === 0;
      list.replaceChildren(...this.entries.map((one) => this.item(one, entry, again)));
    };
    this.lists.add(draw);
    draw();
    return details;
  }

  item({ entry: of, values, got, at }, entry, again) {
    const time = el('time', { class: 'soft small', datetime: at.toISOString() }, at.toLocaleTimeString(document.documentElement.lang));
    const title = [el('span', { class: `method method-${of.method}` }, of.method), ' ', el('code', { class: 'break' }, of.path)];
    const status = el('span', { class: `badge ${got.code < 400 ? 'badge-approved' : 'badge-revoked'}` }, got.code);
    if (of !== entry) return el('li', {}, status, ' ', el('a', { href: `#op-${of.anchor}` }, title), ' ', time);
    const button = el('button', { type: 'button', class: 'reference-again' }, title);
    button.addEventListener('click', () => again(copyOf(values), got));
    return el('li', {}, status, ' ', button, ' ', time);
  }
}
