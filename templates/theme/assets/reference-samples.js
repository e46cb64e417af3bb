import { fileFields, isForm } from './reference-request.js';

// The same request for a shell, for JavaScript and for Python. Every value is quoted by the rules of its language, so that
// nothing in a document can end its string.

const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const quoted = (text) => JSON.stringify(text);
const indented = (lines, depth = 2) => lines.map((line) => ' '.repeat(depth) + line).join('\n');

export const SAMPLES = { curl, JavaScript: javaScript, Python: python };

function curl({ method, url, headers, body, cookies }, store) {
  const parts = [`curl ${method === 'GET' ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `}${shell(url)}`];
  for (const [name, value] of headers) {
    const isBasic = name === 'Authorization' && value.startsWith('Basic ') && value.includes(':');
    parts.push(isBasic ? `-u ${shell(value.slice(6))}` : `-H ${shell(`${name}: ${value}`)}`);
  }
  if (cookies.length > 0) parts.push(`-b ${shell(cookies.map(([name, value]) => `${name}=${value}`).join('; '))}`);
  if (body && isForm(body.type)) {
    const files = fileFields(body.schema, store);
    const flag = body.type.startsWith('multipart/') ? '-F' : '--data-urlencode';
    for (const [name, value] of body.fields) {
      parts.push(`${flag} ${shell(`${name}=${files.has(name) ? '@file' : value}`)}`);
    }
  } else if (body && body.text !== '') parts.push(`--data-raw ${shell(body.text)}`);
  return parts.join(' \\\n  ');
}

function javaScript({ method, url, headers, body, cookies }, store) {
  const lines = [];
  const options = [];
  if (method !== 'GET') options.push(`method: ${quoted(method)},`);
  const all = cookies.length > 0 ? [...headers, ['Cookie', cookies.map((pair) => pair.join('=')).join('; ')]] : headers;
  if (all.length > 0) {
    const pairs = all.map(([name, value]) => `${quoted(name)}: ${basicOr(value, (text) => `\`Basic \${btoa(${quoted(text)})}\``)},`);
    options.push('headers: {', indented(pairs), '},');
  }
  if (body?.type.startsWith('multipart/')) {
    const files = fileFields(body.schema, store);
    lines.push('const form = new FormData();');
    for (const [name, value] of body.fields) {
      lines.push(`form.set(${quoted(name)}, ${files.has(name) ? 'file' : quoted(value)});`);
    }
    options.push('body: form,');
  } else if (body && isForm(body.type)) {
    const pairs = [...body.fields].map(([name, value]) => `[${quoted(name)}, ${quoted(value)}],`);
    options.push('body: new URLSearchParams([', indented(pairs), ']),');
  } else if (body && body.text !== '') {
    const value = parsed(body);
    const text = value === undefined ? quoted(body.text) : `JSON.stringify(${JSON.stringify(value, null, 2)})`;
    options.push(`body: ${text},`);
  }
  const written = indented(options.flatMap((option) => option.split('\n')));
  const call = `fetch(${quoted(url)}${options.length > 0 ? `, {\n${written}\n}` : ''})`;
  lines.push(`const response = await ${call};`, 'console.log(response.status, await response.text());');
  return lines.join('\n');
}

function python({ method, url, headers, body, cookies }, store) {
  const options = [];
  const isBasic = ([name, value]) => name === 'Authorization' && value.startsWith('Basic ');
  const basic = headers.find(isBasic);
  const plain = headers.filter((header) => header !== basic);
  if (basic) {
    const [user, password] = basic[1].slice(6).split(':');
    options.push(`auth=(${quoted(user ?? '')}, ${quoted(password ?? '')}),`);
  }
  const dictionary = (pairs) => [...pairs].map(([name, value]) => `${quoted(name)}: ${quoted(value)},`);
  if (plain.length > 0) options.push('headers={', indented(dictionary(plain), 4), '},');
  if (cookies.length > 0) options.push('cookies={', indented(dictionary(cookies), 4), '},');
  if (body?.type.startsWith('multipart/')) {
    const files = fileFields(body.schema, store);
    const pairs = [...body.fields].map(([name, value]) => {
      return `${quoted(name)}: ${files.has(name) ? 'open("file", "rb")' : `(None, ${quoted(value)})`},`;
    });
    options.push('files={', indented(pairs, 4), '},');
  } else if (body && isForm(body.type)) options.push('data={', indented(dictionary(body.fields), 4), '},');
  else if (body && body.text !== '') {
    const value = parsed(body);
    options.push(value === undefined ? `data=${quoted(body.text)}.encode(),` : `json=${literal(value)},`);
  }
  const lines = [`${quoted(url)},`, ...options.flatMap((option) => option.split('\n'))];
  const call = `requests.request(\n    ${quoted(method)},\n${indented(lines, 4)}\n)`;
  return `import requests\n\nresponse = ${call}\nprint(response.status_code, response.text)`;
}

function basicOr(value, write) {
  return value.startsWith('Basic ') && value.includes(':') ? write(value.slice(6)) : quoted(value);
}

function parsed({ type, text }) {
  if (!/[/+]json\b/i.test(type)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON value as Python writes it. */
function literal(value, depth = 0) {
  const space = '    '.repeat(depth);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${quoted(name)}: ${literal(item, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${space}    ${item},`).join('\n')}\n${space}${close}`;
}
