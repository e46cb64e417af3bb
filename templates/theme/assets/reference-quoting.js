// Text as the string of a language, so that nothing in a document can end it, run in it, or look like something else.

/** Cannot be seen, or turns the reading direction of what stands around it. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/u;
const SHORT = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', '"': '\\"' };

const hex = (code, digits) => code.toString(16).padStart(digits, '0');
const four = (code) => `\\u${hex(code, 4)}`;
const pair = (code) => (code > 0xffff ? [...String.fromCodePoint(code)].join('').split('').map((unit) => four(unit.charCodeAt(0))).join('') : four(code));
const long = (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : four(code));
const braced = (code) => `\\u{${hex(code, 1)}}`;
/** Java reads `\u000a` as a line break of the program, before it reads strings. */
const octal = (code) => (code < 256 ? `\\${code.toString(8).padStart(3, '0')}` : pair(code));

const quoter = (unicode, special = '') => (text) => {
  const signs = [...text.replace(/\p{Surrogate}/gu, '\ufffd')].map((sign) => {
    if (Object.hasOwn(SHORT, sign)) return SHORT[sign];
    if (special.includes(sign)) return `\\${sign}`;
    return UNSEEN.test(sign) ? unicode(sign.codePointAt(0)) : sign;
  });
  return `"${signs.join('')}"`;
};

export const quoteJavaScript = quoter(pair);
export const quotePython = quoter(long);
export const quotePhp = quoter(braced, '$');
export const quoteRuby = quoter(braced, '#');
export const quoteGo = quoter(long);
export const quoteJava = quoter(octal);
export const quoteKotlin = quoter(pair, '$');
export const quoteCSharp = quoter(long);
export const quoteSwift = quoter(braced);
export const quoteRust = quoter(braced);

// A shell has no way to write these but as themselves. Nothing sees a NUL.
const sound = (text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
export const quoteShell = (text) => `'${sound(text).replaceAll("'", "'\\''")}'`;
/** PowerShell takes typographic quotes for straight ones. */
export const quotePowerShell = (text) => `'${sound(text).replace(/['‘’‚‛]/g, '$&$&')}'`;

/** JSON in which everything can be seen, for languages whose strings cannot escape. */
export function visibleJson(text) {
  return [...text].map((sign) => (UNSEEN.test(sign) && !/[\t\n\r]/.test(sign) ? pair(sign.codePointAt(0)) : sign)).join('');
}

export const indent = (text, depth) => text.replace(/^(?=.)/gm, ' '.repeat(depth));
