// Colours code. Only text nodes and spans are made, and every pattern ends in time proportional to the text: a quote that is
// never closed takes the rest.

/** Longer text stays plain. */
const LONGEST = 60000;
const DOUBLE = '"(?:[^"\\\\]|\\\\.)*"?';
const NUMBER = ['number', '-?\\b\\d[\\w.+]*'];
const WORDS = [
  ...['as', 'async', 'await', 'catch', 'class', 'const', 'def', 'defer', 'do', 'echo', 'else', 'end', 'false', 'final', 'for'],
  ...['from', 'fun', 'func', 'function', 'go', 'if', 'import', 'in', 'let', 'new', 'nil', 'None', 'null', 'package', 'print'],
  ...['public', 'require', 'return', 'static', 'string', 'throws', 'true', 'True', 'False', 'try', 'use', 'using', 'val', 'var', 'void', 'with'],
].join('|');

const JSON_GRAMMAR = [
  ['key', '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)'],
  ['string', DOUBLE],
  NUMBER,
  ['word', '\\b(?:true|false|null)\\b'],
];
const SHELL = [
  ['comment', '(?<=^|\\n|\\s)#[^\\n]*'],
  ['address', `'https?://[^']*'|"https?://[^"]*"|(?<=\\s)https?://[^\\s'"]+`],
  ['string', "'[^']*'?"],
  ['string', DOUBLE],
  ['flag', '(?<=\\s)--?[A-Za-z][\\w-]*'],
  ['word', '(?<=^|\\n)(?:curl|export|wget|http|https)(?=\\s)'],
  ['key', '\\$\\w+'],
];
const codeWith = (comment) => [
  ['comment', comment],
  ['string', `${DOUBLE}|'(?:[^'\\\\\\n]|\\\\.)*'?|\`(?:[^\`\\\\]|\\\\.)*\`?`],
  NUMBER,
  ['word', `\\b(?:${WORDS})\\b`],
  ['call', '\\b[A-Za-z_]\\w*(?=\\()'],
];
const HTTP = [
  ['word', '(?<=^)HTTP/[\\d.]+ \\d+[^\\n]*'],
  ['key', '(?<=^|\\n)[\\w-]+(?=: )'],
];
const MARKUP = [
  ['comment', '<!--[^>]*-->'],
  ['key', '</?[\\w:.-]+|/?>'],
  ['string', DOUBLE],
];

const GRAMMARS = {
  ...{ json: JSON_GRAMMAR, shell: SHELL, curl: SHELL, http: HTTP, xml: MARKUP, html: MARKUP },
  ...{ python: codeWith('#[^\\n]*'), ruby: codeWith('#[^\\n]*'), powershell: codeWith('#[^\\n]*'), code: codeWith('//[^\\n]*') },
};

/** @param language of `GRAMMARS`; any other is read like JavaScript */
export function highlight(text, language) {
  const fragment = document.createDocumentFragment();
  if (text.length > LONGEST) fragment.append(text);
  else paint(fragment, text, GRAMMARS[language.toLowerCase()] ?? GRAMMARS.code);
  return fragment;
}

function paint(parent, text, grammar) {
  const pattern = new RegExp(grammar.map(([, source]) => `(${source})`).join('|'), 'g');
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = grammar[match.slice(1).findIndex((group) => group !== undefined)][0];
    parent.append(text.slice(end, match.index));
    end = match.index + match[0].length;
    const span = document.createElement('span');
    span.className = `tok-${kind}`;
    // The body of a request in a shell is JSON between quotes.
    if (grammar === SHELL && /^'\s*[[{]/.test(match[0])) paint(span, match[0], JSON_GRAMMAR);
    else span.textContent = match[0];
    parent.append(span);
  }
  parent.append(text.slice(end));
}

/** Paints every `pre` of the page that names its language. */
export function highlightPage() {
  for (const code of document.querySelectorAll('pre[data-language]')) {
    code.replaceChildren(highlight(code.textContent, code.dataset.language));
  }
}
