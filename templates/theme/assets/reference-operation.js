import { append, copyButton, el, labelled, link } from './reference-dom.js';
import { exampleOf } from './reference-example.js';
import { requestForm, secretFields } from './reference-form.js';
import { markdown, summaryOf } from './reference-markdown.js';
import { firstValues, keyOf, requestOf, schemesOf, serverAddress } from './reference-request.js';
import { SAMPLES } from './reference-samples.js';
import { schemaView, typeLabel } from './reference-schema.js';
import { answerBox, obstacle, obstacleOfAll, send } from './reference-try.js';

/**
 * An operation with everything that is known of it.
 * @param context `say`, `store`, `index`, `settings`, `secrets`, `ownKey`, `account`, `language`
 */
export function operationView(entry, operation, context) {
  const { say, index } = context;
  const values = firstValues(operation, index, context.store, (url) => obstacle(url, context.settings) === null);
  const heading = el('h2', { tabindex: -1, dir: 'auto' }, entry.summary || operation.id || entry.path);
  const about = el(
    'div',
    { class: 'stack reference-about' },
    el(
      'p',
      { class: 'reference-address', dir: 'ltr' },
      methodBadge(entry, say),
      ' ',
      el('code', { class: 'break' }, entry.path),
      entry.isDeprecated ? [' ', el('span', { class: 'tag' }, say('deprecated'))] : null,
    ),
    operation.description && operation.description !== entry.summary ? markdown(operation.description) : null,
    operation.externalDocs
      ? el('p', {}, link(operation.externalDocs.url, operation.externalDocs.description || operation.externalDocs.url))
      : null,
    access(operation, context),
    parameters(operation, context),
    body(operation, context),
    responses(operation, context),
    operation.callbacks.length > 0
      ? el('p', { class: 'small soft' }, say('callbacks', { names: operation.callbacks.join(', ') }))
      : null,
  );
  const side = entry.isWebhook ? null : callPanel(entry, operation, values, context);
  const view = el('article', { class: 'reference-operation' }, heading, el('div', { class: 'reference-columns' }, about, side));
  return { view, heading };
}

export function methodBadge({ method, isWebhook }, say) {
  return el('span', { class: `method method-${isWebhook ? 'webhook' : method}` }, isWebhook ? say('webhook') : method);
}

function section(title, ...children) {
  return el('section', { class: 'stack' }, el('h3', {}, title), ...children);
}

function access(operation, { say, index }) {
  const ways = operation.security ?? index.security;
  if (ways.length === 0) return null;
  const words = ways.map((way) =>
    way.length === 0
      ? say('no-sign-in')
      : way.map(({ name, scopes }) => (scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name)).join(' + '),
  );
  return el('p', { class: 'small' }, el('span', { class: 'soft' }, `${say('access')}: `),
    words.flatMap((word, number) => [number > 0 ? ` ${say('or')} ` : null, el('bdi', {}, word)]),
  );
}

function parameters({ parameters: all }, context) {
  const { say } = context;
  if (all.length === 0) return null;
  const items = all.map((parameter) =>
    el(
      'li',
      {},
      el(
        'div',
        { class: 'reference-facts' },
        el('code', { class: 'reference-name', dir: 'ltr' }, parameter.name),
        el('span', { class: 'reference-type', dir: 'ltr' }, `${parameter.in} · ${typeLabel(parameter.schema, context)}`),
        parameter.required ? el('span', { class: 'reference-required' }, say('required')) : null,
        parameter.deprecated ? el('span', { class: 'tag' }, say('deprecated')) : null,
      ),
      parameter.description ? markdown(parameter.description) : null,
      parameter.schema ? fold(say('more'), () => schemaView(parameter.schema, context)) : null,
    ),
  );
  return section(say('parameters'), el('ul', { class: 'reference-properties' }, items));
}

function body({ body: declared }, context) {
  const { say } = context;
  if (!declared) return null;
  return section(
    say('request-body'),
    declared.description ? markdown(declared.description) : null,
    declared.content.map((media) => mediaView(media, context, true)),
  );
}

function responses({ responses: all }, context) {
  const { say } = context;
  if (all.length === 0) return null;
  const items = all.map(({ status, description, headers, content }) => {
    const { text, isWhole } = summaryOf(description);
    const title = [el('span', { class: `reference-code reference-code-${status.charAt(0)}` }, status), ' '];
    const build = () =>
      el(
        'div',
        { class: 'stack' },
        isWhole ? null : markdown(description),
        headers.length > 0
          ? el('p', { class: 'small' }, `${say('headers')}: `, headers.map(({ name }) => [el('code', {}, name), ' ']).flat())
          : null,
        content.map((media) => mediaView(media, context, false)),
      );
    return fold(append(el('span', {}), [...title, el('bdi', {}, text)]), build);
  });
  return section(say('responses'), el('div', { class: 'stack-s' }, items));
}

function mediaView({ type, schema, examples }, context, isRequest) {
  const { say, store } = context;
  const shown = examples.length > 0 ? examples : [{ name: '', summary: '', value: undefined }];
  return el(
    'div',
    { class: 'stack-s' },
    el('p', { class: 'small' }, el('code', {}, type), schema ? [' · ', el('bdi', {}, typeLabel(schema, context))] : null),
    schema ? schemaView(schema, context) : null,
    shown.map(({ name, summary, value }) =>
      fold([say('example'), name || summary ? [': ', el('bdi', {}, summary || name)] : []].flat(), () => {
        const given = value === undefined ? exampleOf(schema, store, isRequest) : value;
        const text = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
        return el('pre', { class: 'code', tabindex: 0 }, text);
      }),
    ),
  );
}

/** A fold whose inside is made when it is opened. */
function fold(title, build) {
  const details = el('details', { class: 'reference-fold' }, el('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(build());
  });
  return details;
}

function callPanel(entry, operation, values, context) {
  const { say, index, store } = context;
  const request = (secrets) => requestOf({ entry, operation, index, values, secrets });
  const code = el('pre', { class: 'code', tabindex: 0 });
  const refresh = () => (code.textContent = SAMPLES[context.language.name](request(null), store));
  const languages = Object.keys(SAMPLES).map((name) => {
    const button = el('button', { type: 'button', class: 'reference-choice' }, name);
    button.addEventListener('click', () => {
      context.language.name = name;
      choose();
    });
    return button;
  });
  const choose = () => {
    for (const button of languages) button.setAttribute('aria-pressed', String(button.textContent === context.language.name));
    refresh();
  };
  choose();
  const samples = el(
    'div',
    { class: 'reference-samples' },
    el(
      'div',
      { class: 'row row-between' },
      el('div', { class: 'reference-choices', role: 'group', 'aria-label': say('language') }, languages),
      copyButton(say, () => code.textContent),
    ),
    code,
  );
  const title = el('h3', { class: 'visually-hidden' }, say('call-it'));
  return el('div', { class: 'reference-side' }, title, samples, tryPanel({ operation, values, request, refresh }, context));
}

function tryPanel({ operation, values, request, refresh }, context) {
  const { say } = context;
  const details = el('details', { class: 'reference-try' }, el('summary', { class: 'button button-main' }, say('try-it')));
  const build = () => {
    // Said at once: nobody should fill a form in, or have a key shown, for a request that cannot be sent.
    const never = obstacleOfAll(addressesOf(values), context.settings);
    return never === null ? tryForm({ operation, values, request, refresh }, context) : why(say(never));
  };
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(build());
  });
  return details;
}

function why(text) {
  return el('p', { class: 'small reference-why' }, text);
}

function addressesOf(values) {
  return values.servers.map(({ variables }, server) => {
    return { url: serverAddress({ ...values, server }), hasVariables: variables.length > 0 };
  });
}

function tryForm({ operation, values, request, refresh }, context) {
  const { say, index } = context;
  const reason = why('');
  reason.setAttribute('role', 'status');
  const button = el('button', { class: 'button button-main' }, say('send'));
  const secrets = el('div', { class: 'stack' });
  let shownWay = null;
  const changed = () => {
    refresh();
    const fault = obstacle(request(context.secrets).url, context.settings);
    button.hidden = fault !== null;
    reason.textContent = fault === null ? '' : say(fault);
    reason.hidden = fault === null;
    const way = fault === null ? values.way : null;
    if (way !== shownWay) secrets.replaceChildren(...(way === null ? [] : secretPart({ operation, values }, context)));
    shownWay = way;
  };
  const fields = requestForm({ operation, index, values, context, changed });
  changed();
  const answer = answerBox(say);
  const form = append(el('form', { class: 'stack', novalidate: true }), [reason, fields, secrets, button, answer.element]);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!button.hidden) void submit({ operation, values, request, answer }, context);
  });
  return form;
}

function secretPart({ values }, context) {
  const { index, account, ownKey, secrets, say } = context;
  if (account) {
    const isNeeded = schemesOf(index, values).length > 0;
    return isNeeded && account.token === '' ? [el('p', { class: 'small reference-why' }, say('sign-in-first'))] : [];
  }
  const fields = secretFields({ index, values, secrets, context });
  const keyed = schemesOf(index, values).find(({ type, in: place }) => type === 'apiKey' && place !== 'cookie');
  const own = keyed ? ownKey.element((key) => fillIn(fields, keyed, secrets, key)) : null;
  return own ? [own, ...fields] : fields;
}

function fillIn(fields, { name }, secrets, key) {
  secrets.get(name).value = key;
  for (const field of fields) {
    const input = [...field.querySelectorAll('input')].find(({ dataset }) => dataset.scheme === name);
    if (input) input.value = key;
  }
}

async function submit({ operation, values, request, answer }, context) {
  const { say, account, index, secrets } = context;
  const missing = operation.parameters.find(
    (one) => one.in === 'path' && (values.parameters.get(keyOf(one)) ?? '') === '',
  );
  if (missing) return answer.say(say('fill', { name: missing.name }));
  if (account) for (const { name } of schemesOf(index, values)) secrets.set(name, { value: account.token });
  answer.say(say('sending'));
  try {
    let got = await send(request(secrets));
    if (got.code === 401 && account && schemesOf(index, values).length > 0 && (await account.renew())) {
      for (const { name } of schemesOf(index, values)) secrets.set(name, { value: account.token });
      got = await send(request(secrets));
    }
    answer.show(got);
  } catch (error) {
    answer.say(say(error.message));
  }
}
