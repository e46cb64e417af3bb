import { append, el, fold, link } from './reference-dom.js';
import { markdown, summaryOf } from './reference-markdown.js';
import { waysOf } from './reference-request.js';
import { resolve, typeLabel } from './reference-schema.js';
import { code, marks } from './reference-schema-facts.js';
import { placeView, schemaView } from './reference-schema-view.js';
import { placeWord, styleWords } from './reference-style-words.js';

// What a document says of an operation: who may call it, its parameters, its body, its answers and what it
// calls. Where these stand on the
// page is the matter of reference-operation.js.

function section(title, ...children) {
  return el('section', { class: 'stack' }, el('h3', {}, title), ...children);
}

export function access(operation, { say, index }) {
  const ways = waysOf(operation, index);
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

export function parameters({ parameters: all }, context) {
  const { say } = context;
  return all.length === 0 ? null : section(say('parameters'), parameterList(all, context, true));
}

/** @param isPlaced whether each says where it goes; those of one place need not */
function parameterList(all, context, isPlaced) {
  const items = all.map((parameter) => {
    const { name, in: place, schema, required, deprecated, allowEmptyValue, description } = parameter;
    const type = typeLabel(schema, context);
    const { schema: whole } = resolve(schema, context.store);
    const facts = [
      el('code', { class: 'reference-name', dir: 'ltr' }, name),
      el('span', { class: 'reference-type', dir: 'ltr' }, isPlaced ? `${placeWord(place, context.say)} · ${type}` : type),
      required ? el('span', { class: 'reference-required' }, context.say('required')) : null,
      deprecated && whole?.deprecated !== true ? el('span', { class: 'tag' }, context.say('deprecated')) : null,
      allowEmptyValue ? el('span', { class: 'tag' }, context.say('may-be-empty')) : null,
      whole ? marks(whole, context) : null,
    ];
    return el(
      'li',
      {},
      el('div', { class: 'reference-facts' }, facts),
      description ? markdown(description) : null,
      styleView(parameter, context),
      schema ? placeView(whole?.description === description ? withoutDescription(whole) : schema, context) : null,
      parameter.examples.map((example) => exampleView(example, context)),
    );
  });
  return el('ul', { class: 'reference-properties' }, items);
}

function styleView(parameter, context) {
  const said = styleWords(parameter, context);
  return said.length === 0 ? null : el('p', { class: 'reference-limits' }, said.join(' '));
}

const withoutDescription = ({ description: _, ...rest }) => rest;

function exampleView({ name, summary, description, value, url }, { say }) {
  const title = summary || name;
  return el(
    'div',
    { class: 'reference-limits' },
    say('example'),
    title === '' ? ': ' : [' ', el('bdi', {}, title), summary && name ? [' ', el('code', {}, name)] : null, ': '].flat(),
    value === undefined ? link(url, url) : code(value),
    description ? markdown(description) : null,
  );
}

export function body({ body: declared }, context) {
  const { say } = context;
  if (!declared) return null;
  const view = section(
    [say('request-body'), declared.required ? [' ', el('span', { class: 'reference-required' }, say('required'))] : []].flat(),
    declared.description ? markdown(declared.description) : null,
    declared.content.map((media) => mediaView(media, context)),
  );
  view.classList.add('reference-request');
  return view;
}

export function responses({ responses: all }, context) {
  const { say } = context;
  if (all.length === 0) return null;
  const good = context.index.kind === 'openapi' ? all.find(({ status }) => status.startsWith('2')) : all[0];
  const title = context.index.kind === 'asyncapi' ? 'messages' : 'responses';
  const view = section(say(title), el('div', { class: 'stack-s' }, all.map((response) => responseView(response, response === good, context))));
  view.classList.add('reference-answers');
  return view;
}

function responseView({ status, summary, description, headers, content, links }, isOpen, context) {
  const { say } = context;
  const { text, isWhole } = summary === '' ? summaryOf(description) : { text: summary, isWhole: summary === description };
  const title = append(el('span', {}), [
    el('span', { class: `reference-code reference-code-${status.charAt(0)}` }, status),
    ' ',
    el('bdi', {}, text),
  ]);
  const build = () =>
    el(
      'div',
      { class: 'stack' },
      isWhole ? null : markdown(description),
      headers.length > 0 ? part(say('headers'), parameterList(headers, context, false)) : null,
      content.map((media) => mediaView(media, context)),
      links.length > 0 ? part(say('links'), linkList(links, context)) : null,
    );
  const view = fold(title, build, isOpen);
  view.classList.add('reference-answer');
  view.dataset.status = status;
  return view;
}

function part(title, ...children) {
  return el('div', { class: 'stack-s' }, el('p', { class: 'small soft' }, title), children);
}

function linkList(links, context) {
  const items = links.map(({ name, description, operation, parameters: given, server }) =>
    el(
      'li',
      {},
      el('div', { class: 'reference-facts' }, el('code', { class: 'reference-name', dir: 'ltr' }, name), linkTarget(operation, context)),
      description ? markdown(description) : null,
      given.map((one) => el('div', { class: 'reference-limits' }, el('bdi', {}, one.name || context.say('request-body')), ': ', code(one.value))),
      server ? el('p', { class: 'small' }, el('code', { class: 'break' }, server)) : null,
    ),
  );
  return el('ul', { class: 'reference-properties' }, items);
}

function linkTarget(operation, { index }) {
  const [, path, method] = /^#\/paths\/([^/]+)\/(\w+)$/.exec(operation) ?? [];
  const known = index.operations.find((entry) =>
    path === undefined
      ? entry.anchor === operation
      : entry.method === method && entry.path === path.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  return known ? el('a', { href: `#op-${known.anchor}` }, operation) : el('code', { class: 'break', dir: 'ltr' }, operation);
}

export function callbacks({ callbacks: all }, context) {
  const { say } = context;
  if (all.length === 0) return null;
  const items = all.map(({ name, address, method, summary, deprecated, operation }) => {
    const title = [
      ...[el('span', { class: `method method-${method}` }, method), ' ', el('code', { class: 'break', dir: 'ltr' }, address), ' '],
      ...[el('bdi', {}, [name, summary].filter(Boolean).join(' · ')), deprecated ? [' ', el('span', { class: 'tag' }, say('deprecated'))] : []],
    ];
    return fold(title.flat(), () =>
      el(
        'div',
        { class: 'stack' },
        operation.description ? markdown(operation.description) : null,
        ...[access(operation, context), parameters(operation, context), body(operation, context), responses(operation, context)],
      ),
    );
  });
  return section(say(context.index.kind === 'asyncapi' ? 'reply' : 'callbacks'), el('div', { class: 'stack-s' }, items));
}

function mediaView({ type, schema, itemSchema, examples, encoding }, context) {
  return el(
    'div',
    { class: 'stack-s' },
    el('p', { class: 'small' }, el('code', {}, type), schema ? [' · ', el('bdi', {}, typeLabel(schema, context))] : null),
    schema ? schemaView(schema, context, true) : null,
    encodingView(encoding ?? {}, schema, context),
    itemSchema ? part(context.say('each-item'), schemaView(itemSchema, context)) : null,
    examples.map((example) => exampleFold(example, context)),
  );
}

// What a form says of how its fields are written.
function encodingView(encoding, schema, context) {
  const { properties } = resolve(schema, context.store).schema ?? {};
  const items = Object.entries(encoding).flatMap(([name, said]) => {
    const facts = [...(said.contentType ? [el('code', { dir: 'ltr' }, said.contentType)] : []), ...styleWords({ ...said, name, schema: properties?.[name] }, context)];
    return facts.length === 0 ? [] : [el('li', {}, el('code', { class: 'reference-name', dir: 'ltr' }, name), facts.map((fact) => [' ', fact]).flat())];
  });
  return items.length === 0 ? null : part(context.say('encoding'), el('ul', { class: 'plain-list small' }, items));
}

function exampleFold({ name, summary, description, value, url }, { say }) {
  const title = [summary, name].filter((text, place, all) => text !== '' && all.indexOf(text) === place);
  return fold([say('example'), title.length > 0 ? [': ', el('bdi', {}, title.join(' · '))] : []].flat(), () => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const shown = value === undefined ? el('p', {}, link(url, url)) : el('pre', { class: 'code', tabindex: 0 }, text);
    return el('div', { class: 'stack-s' }, description ? markdown(description) : null, shown);
  });
}
