import { el, link } from './reference-dom.js';
import { markdown } from './reference-markdown.js';
import { placeWord } from './reference-style-words.js';

// Where an API answers and how one gets in, as its document declares it.

export function serverText({ url, name, description, variables }, say) {
  return [
    el('code', { class: 'break' }, url),
    name === '' ? null : [' ', el('bdi', {}, name)],
    description === '' ? null : markdown(description),
    variables.map((variable) =>
      el(
        'div',
        {},
        el('code', {}, `{${variable.name}}`),
        variable.value === '' ? null : [' ', el('code', {}, variable.value)],
        variable.choices.length > 0 ? ` ${say('values')} ${variable.choices.join(', ')}` : null,
        variable.description === '' ? null : markdown(variable.description),
      ),
    ),
  ].flat();
}

export function schemeText(scheme, say) {
  const { name, type, in: place, param, bearerFormat, description, openIdConnectUrl, isDeprecated, flows } = scheme;
  const how = type === 'apiKey' ? [placeWord(place, say), ' ', el('bdi', {}, param)] : el('bdi', {}, type === 'http' ? `${scheme.scheme} ${bearerFormat}`.trim() : type);
  return [
    ...[el('code', {}, name), ' · ', how, isDeprecated ? [' ', el('span', { class: 'tag' }, say('deprecated'))] : null],
    description === '' ? null : markdown(description),
    openIdConnectUrl === '' ? null : el('p', { class: 'small break' }, link(openIdConnectUrl, openIdConnectUrl)),
    flows.map(flowText),
  ].flat();
}

function flowText({ flow, authorizationUrl, tokenUrl, refreshUrl, deviceAuthorizationUrl, scopes }) {
  const addresses = [...new Set([authorizationUrl, deviceAuthorizationUrl, tokenUrl, refreshUrl])].filter(Boolean);
  return el(
    'div',
    { class: 'small' },
    el('p', {}, flow, addresses.map((address) => [' · ', el('span', { class: 'break' }, link(address, address))]).flat()),
    scopes.length > 0
      ? el('ul', { class: 'prose' }, scopes.map((scope) => el('li', {}, el('code', {}, scope.name), ' ', el('bdi', {}, scope.description))))
      : null,
  );
}
