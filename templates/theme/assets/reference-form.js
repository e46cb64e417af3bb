import { append, el, labelled } from './reference-dom.js';
import { bodyOf, fileFields, formFields, isForm } from './reference-body.js';
import { exampleOf } from './reference-example.js';
import { oauthPart } from './reference-oauth.js';
import { keyOf, schemesOf, serverAddress } from './reference-request.js';
import { resolve, typeLabel } from './reference-schema.js';
import { shapesOf, writeValue } from './reference-serialize.js';
import { placeWord } from './reference-style-words.js';

// The fields of a request. Each writes into `values` and calls `changed`, so that the samples follow.

const MOST_CHOICES = 60;
const MOST_PLACEHOLDER = 120;

export function requestForm({ operation, index, values, context, changed }) {
  const form = el('div', { class: 'stack' });
  append(form, [
    serverFields(values, context, changed),
    wayField(index, values, context, changed),
    ...(values.query ? queryFields(values.query, context, changed) : operation.parameters.map((one) => parameterField(one, values, context, changed))),
    operation.body ? bodyFields(operation.body, values, context, changed) : null,
  ]);
  return form;
}

function serverFields(values, { say }, changed) {
  if (values.servers.length === 0) return null;
  const box = el('div', { class: 'stack' });
  const variables = el('div', { class: 'stack' });
  const showVariables = () => {
    variables.replaceChildren(
      ...values.servers[values.server].variables.map(({ name, choices }) =>
        labelled(name, input(values.variables, name, changed, choices)),
      ),
    );
  };
  if (values.servers.length > 1) {
    const options = values.servers.map(({ url, description }, number) =>
      el('option', { value: number }, description === '' ? url : `${url} – ${description}`),
    );
    const select = el('select', { class: 'input' }, options);
    select.addEventListener('change', () => {
      values.server = Number(select.value);
      showVariables();
      changed();
    });
    box.append(labelled(say('server'), select));
  } else {
    box.append(
      el('p', { class: 'small' }, `${say('server')}: `, el('code', { class: 'break' }, serverAddress(values))),
    );
  }
  showVariables();
  box.append(variables);
  return box;
}

// Where a document offers several ways in, one is chosen.
function wayField(index, values, { say }, changed) {
  if (values.ways.length < 2) return null;
  const options = values.ways.map((way, number) =>
    el(
      'option',
      { value: number, selected: number === values.way },
      way.map(({ name }) => name).join(' + ') || say('no-sign-in'),
    ),
  );
  const select = el('select', { class: 'input' }, options);
  select.addEventListener('change', () => {
    values.way = Number(select.value);
    changed();
  });
  return labelled(say('way'), select);
}

function parameterField(parameter, values, context, changed) {
  const { say, store } = context;
  const { schema } = resolve(parameter.schema, store);
  const choices = Array.isArray(schema?.enum) ? schema.enum : schema?.type === 'boolean' ? [true, false] : [];
  const control = input(values.parameters, keyOf(parameter), changed, choices.length > MOST_CHOICES ? [] : choices);
  if (control.tagName === 'INPUT' && shapesOf(parameter.schema, store).has('object')) {
    control.placeholder = writeValue(exampleOf(parameter.schema, store)).slice(0, MOST_PLACEHOLDER);
  }
  const place = parameter.in === 'query' || parameter.in === 'path' ? '' : ` · ${placeWord(parameter.in, say)}`;
  const hint = typeLabel(parameter.schema, context) + place;
  if (parameter.required) control.setAttribute('aria-required', 'true');
  const field = labelled(parameter.name + (parameter.required ? ' *' : ''), control, hint);
  if (parameter.in === 'cookie') field.append(el('span', { class: 'hint' }, say('cookie-note')));
  return field;
}

/** A text field, or a choice where only some values are taken. */
function input(target, key, changed, choices = []) {
  const present = target.get(key) ?? '';
  const control =
    choices.length > 0
      ? el(
          'select',
          { class: 'input' },
          ['', ...choices.map(String)].map((choice) =>
            el('option', { selected: choice === present }, choice || '\u00a0'),
          ),
        )
      : el('input', { class: 'input', dir: 'auto', autocomplete: 'off', spellcheck: 'false', value: present });
  control.addEventListener('input', () => {
    target.set(key, control.value.replace(/^\u00a0$/, ''));
    changed();
  });
  return control;
}

/** What GraphQL is asked, and the values of its variables. */
function queryFields(query, { say }, changed) {
  const area = (part, label) => {
    const control = editorOf(query[part], (text) => {
      query[part] = text;
      changed();
    });
    return labelled(label, control);
  };
  return [area('text', say('query')), area('variables', `${say('variables')} · JSON`)];
}

function editorOf(text, write) {
  const area = el('textarea', {
    ...{ class: 'input reference-editor', dir: 'ltr', rows: Math.min(16, text.split('\n').length + 1) },
    ...{ spellcheck: 'false', autocomplete: 'off' },
  });
  area.value = text;
  area.addEventListener('input', () => write(area.value));
  return area;
}

function bodyFields({ content }, values, context, changed) {
  const { say, store } = context;
  const box = el('div', { class: 'stack' });
  const editor = el('div', { class: 'stack' });
  const show = () => editor.replaceChildren(...bodyEditor(values.body, context, changed));
  if (content.length > 1) {
    const select = el(
      'select',
      { class: 'input' },
      content.map(({ type }) => el('option', {}, type)),
    );
    select.addEventListener('change', () => {
      values.body = bodyOf(content[select.selectedIndex], store);
      show();
      changed();
    });
    box.append(labelled(say('content-type'), select));
  }
  show();
  box.append(editor);
  return box;
}

function bodyEditor(body, context, changed) {
  const { say, store } = context;
  if (body.isFile) return [labelled(`${say('body')} · ${body.type}`, fileInput(body, '', changed, false))];
  if (!isForm(body.type)) {
    const area = editorOf(body.text, (text) => {
      body.text = text;
      changed();
    });
    return [labelled(`${say('body')} · ${body.type}`, area)];
  }
  const files = fileFields(body.schema, store);
  const names = new Set([...body.fields.keys(), ...formFields(body.schema, store)]);
  return [...names].map((name) =>
    labelled(
      name,
      files.has(name) ? fileInput(body, name, changed, files.get(name)) : input(body.fields, name, changed),
    ),
  );
}

function fileInput(body, name, changed, isMultiple) {
  const control = el('input', { class: 'input', type: 'file', multiple: isMultiple });
  control.addEventListener('change', () => {
    body.files.set(name, [...control.files]);
    changed();
  });
  return control;
}

/** What proves who calls: one field, or two, for each scheme of the chosen way. */
export function secretFields({ index, values, secrets, context }) {
  const { say } = context;
  return schemesOf(index, values).map((scheme) => {
    if (!secrets.has(scheme.name)) secrets.set(scheme.name, { value: '', user: '', password: '' });
    const known = secrets.get(scheme.name);
    const field = (part, label, hint) => {
      const isSecret = part !== 'user';
      const control = el('input', {
        ...{ class: 'input', type: isSecret ? 'password' : 'text', autocomplete: 'off', dir: 'ltr' },
        ...{ value: known[part], 'data-scheme': scheme.name, spellcheck: 'false' },
      });
      control.addEventListener('input', () => (known[part] = control.value));
      return labelled(label, control, hint);
    };
    if (scheme.type === 'http' && scheme.scheme === 'basic') {
      return el('div', { class: 'stack' }, field('user', say('user')), field('password', say('password')));
    }
    const scopes = (values.ways[values.way] ?? []).find(({ name }) => name === scheme.name)?.scopes ?? [];
    const isKey = scheme.type === 'apiKey';
    const hint = isKey ? `${placeWord(scheme.in, say)} ${scheme.param}` : 'Authorization: Bearer';
    const box = field('value', isKey ? say('key') : say('token'), hint);
    const fill = (token) => (box.querySelector('input').value = known.value = token);
    const oauth = ['oauth2', 'openIdConnect'].includes(scheme.type) ? oauthPart(scheme, scopes, fill, context) : null;
    return oauth ? el('div', { class: 'stack' }, oauth, box) : box;
  });
}
