import { answerPanel } from './reference-answers.js';
import { el, freshId } from './reference-dom.js';
import { requestForm, secretFields } from './reference-form.js';
import { firstValues, keyOf, queryFault, requestOf, schemesOf, serverAddress } from './reference-request.js';
import { samplePanel } from './reference-sample-panel.js';
import { renewEnded } from './reference-tokens.js';
import { answerBox, isProxied, obstacle, obstacleOfAll, send, sendByPortal } from './reference-try.js';

/** How an operation is called: its samples with what comes back, and the form that sends it. */
export function callPanel(entry, operation, context) {
  const { say, index, store } = context;
  const values = firstValues(operation, index, store, (url) => obstacle(url, context.settings) === null);
  const request = (secrets) => requestOf({ entry, operation, index, values, secrets, store });
  const samples = samplePanel(request, operation, context);
  const title = el('h3', { class: 'visually-hidden' }, say('call-it'));
  const open = el('button', { type: 'button', class: 'button button-main button-wide reference-open' }, say('try-it'));
  let dialog = null;
  open.addEventListener('click', () => {
    dialog ??= tryDialog({ entry, operation, values, request, refresh: samples.refresh }, context);
    open.after(dialog);
    dialog.showModal();
  });
  return el('div', { class: 'reference-side' }, title, samples.element, open, answerPanel(operation, context));
}

/** In front of the page, because a request and its answer need the width. */
function tryDialog({ entry, operation, values, request, refresh }, context) {
  const { say } = context;
  const title = el('h3', { id: freshId(), dir: 'auto' }, entry.summary || entry.path);
  const close = el('button', { type: 'button', class: 'button button-small' }, say('close'));
  const head = el('div', { class: 'reference-try-head' }, title, close);
  // Said at once: nobody should fill a form in, or have a key shown, for a request that cannot be sent.
  const never = obstacleOfAll(addressesOf(values), context.settings);
  const inside = never === null ? tryForm({ entry, operation, values, request, refresh }, context) : why(say(never));
  const dialog = el('dialog', { class: 'reference-try', 'aria-labelledby': title.id }, head, inside);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  return dialog;
}

function why(text) {
  return el('p', { class: 'small reference-why' }, text);
}

function addressesOf(values) {
  return values.servers.map(({ variables }, server) => {
    return { url: serverAddress({ ...values, server }), hasVariables: variables.length > 0 };
  });
}

function tryForm({ entry, operation, values, request, refresh }, context) {
  const { say, index } = context;
  const reason = why('');
  reason.setAttribute('role', 'status');
  const button = el('button', { class: 'button button-main' }, say('send'));
  const secrets = el('div', { class: 'stack' });
  let shownWay = null;
  const samples = samplePanel(request, operation, context);
  const changed = () => {
    refresh();
    samples.refresh();
    const fault = queryFault(values) ?? obstacle(request(context.secrets).url, context.settings);
    button.hidden = fault !== null;
    reason.textContent = fault === null ? '' : say(fault);
    reason.hidden = fault === null;
    const way = fault === null ? `${values.way} ${isProxied(request(context.secrets).url, context.settings)}` : null;
    if (way !== shownWay) secrets.replaceChildren(...(way === null ? [] : secretPart({ values, request }, context)));
    shownWay = way;
  };
  const fields = el('div', {}, requestForm({ operation, index, values, context, changed }));
  changed();
  const answer = answerBox(say);
  const history = context.history.element(entry, (before, got) => {
    Object.assign(values, before);
    fields.replaceChildren(requestForm({ operation, index, values, context, changed }));
    changed();
    void answer.show(got);
  });
  const form = el(
    'form',
    { class: 'reference-try-form', novalidate: true },
    el('div', { class: 'stack' }, reason, fields, secrets),
    el('div', { class: 'stack reference-try-side' }, button, answer.element, history, samples.element),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!button.hidden) void submit({ entry, operation, values, request, answer }, context);
  });
  return form;
}

function secretPart({ values, request }, context) {
  const { index, account, ownKey, secrets, settings, say } = context;
  if (account) {
    const isNeeded = schemesOf(index, values).length > 0;
    return isNeeded && account.token === '' ? [el('p', { class: 'small reference-why' }, say('sign-in-first'))] : [];
  }
  const fields = secretFields({ index, values, secrets, context });
  const keyed = schemesOf(index, values).find(({ type, in: place }) => type === 'apiKey' && place !== 'cookie');
  if (keyed && isProxied(request(secrets).url, settings)) return proxiedPart(fields, keyed, context);
  for (const known of secrets.values()) known.credential = null;
  const own = keyed ? ownKey.element((key) => fillIn(fields, keyed, secrets, key)) : null;
  return own ? [own, ...fields] : fields;
}

/** The portal knows the key: the field for another one is there when it is chosen. */
function proxiedPart(fields, { name }, { ownKey, secrets }) {
  const typed = fields.find((field) => field.querySelector('input')?.dataset.scheme === name);
  const chooser = ownKey.chooser((id) => {
    secrets.get(name).credential = id === null ? null : { id, scheme: name };
    typed.hidden = id !== null;
  });
  return chooser ? [chooser, ...fields] : fields;
}

function fillIn(fields, { name }, secrets, key) {
  secrets.get(name).value = key;
  for (const field of fields) {
    const input = [...field.querySelectorAll('input')].find(({ dataset }) => dataset.scheme === name);
    if (input) input.value = key;
  }
}

async function submit({ entry, operation, values, request, answer }, context) {
  const { say, account, index, secrets } = context;
  const missing = operation.parameters.find(
    (one) => one.in === 'path' && (values.parameters.get(keyOf(one)) ?? '') === '',
  );
  if (missing) return answer.say(say('fill', { name: missing.name }));
  if (account) for (const { name } of schemesOf(index, values)) secrets.set(name, { value: account.token });
  answer.say(say('sending'));
  try {
    const used = schemesOf(index, values).map(({ name }) => context.clients.get(name));
    await renewEnded(used.filter(Boolean), context);
    const asked = request(secrets);
    const by = isProxied(asked.url, context.settings) ? context.ownKey.form : null;
    const credential = schemesOf(index, values).map(({ name }) => secrets.get(name)?.credential).find(Boolean) ?? null;
    let got = await (by ? sendByPortal(asked, by, credential) : send(asked));
    if (got.code === 401 && account && schemesOf(index, values).length > 0 && (await account.renew())) {
      for (const { name } of schemesOf(index, values)) secrets.set(name, { value: account.token });
      got = await send(request(secrets));
    }
    await answer.show(got);
    context.history.add({ entry, values, got });
  } catch (error) {
    answer.say(say(error.message));
  }
}
