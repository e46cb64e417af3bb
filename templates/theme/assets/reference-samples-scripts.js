import {
  indent,
  quoteJavaScript,
  quotePhp,
  quotePowerShell,
  quotePython,
  quoteRuby,
  quoteShell,
  visibleJson,
} from './reference-quoting.js';
import { percent } from './reference-serialize.js';

// A request for shells and for languages that run as they are written.

/** Stands for the file that somebody wants to send. */
export const FILE = 'path/to/file';

export const cookieLine = (cookies) => cookies.map((cookie) => cookie.join('=')).join('; ');
/** Headers with cookies among them. */
export const allHeaders = ({ headers, cookies }) => (cookies.length > 0 ? [...headers, ['Cookie', cookieLine(cookies)]] : headers);

export function curl({ method, url, headers, cookies, basic, payload }) {
  const how = method === 'GET' && payload === null ? '' : method === 'HEAD' ? '--head ' : `-X ${method} `;
  // Otherwise curl takes brackets for a range of addresses.
  const parts = [`curl ${how}${/[[\]{}]/.test(url) ? '--globoff ' : ''}${quoteShell(url)}`];
  if (basic) parts.push(`-u ${quoteShell(basic.join(':'))}`);
  for (const [name, value] of headers) parts.push(`-H ${quoteShell(`${name}: ${value}`)}`);
  if (cookies.length > 0) parts.push(`-b ${quoteShell(cookieLine(cookies))}`);
  return [...parts, ...curlBody(payload)].join(' \\\n  ');
}

function curlBody(payload) {
  if (payload === null) return [];
  if (payload.kind === 'file') return [`--data-binary ${quoteShell(`@${FILE}`)}`];
  if (payload.kind === 'multipart') return payload.parts.map(curlPart);
  if (payload.kind === 'text') return [`--data-raw ${quoteShell(textOf(payload))}`];
  if (!payload.pairs) return [`--data-raw ${quoteShell(payload.text)}`];
  // The name is taken as it is, and must not name a file.
  const named = (name) => percent(name).replace(/%5B|%5D/g, decodeURIComponent);
  return payload.pairs.map(([name, value]) => `--data-urlencode ${quoteShell(`${named(name)}=${value}`)}`);
}

// `-F` reads files and media types out of values; `--form-string` does not.
function curlPart({ name, value, file, type }) {
  const named = name.replace(/[="\r\n]/g, encodeURIComponent);
  const typed = type ? `;type=${type}` : '';
  if (file !== undefined) return `-F ${quoteShell(`${named}=@${FILE}${typed}`)}`;
  if (!type) return `--form-string ${quoteShell(`${named}=${value}`)}`;
  return `-F ${quoteShell(`${named}="${value.replace(/["\\]/g, '\\$&')}"${typed}`)}`;
}

const textOf = ({ type, text }) => (/[/+]json\b/i.test(type) ? visibleJson(text) : text);

export const javaScript = (request) => fetchSample(request, false);
export const node = (request) => fetchSample(request, true);

function fetchSample(request, isNode) {
  const q = quoteJavaScript;
  const { method, url, headers, cookies, basic, payload } = request;
  const lines = [];
  const options = method === 'GET' ? [] : [`method: ${q(method)},`];
  const pairs = (isNode ? allHeaders(request) : headers).map(([name, value]) => `${q(name)}: ${q(value)},`);
  if (basic) pairs.push(`Authorization: \`Basic \${btoa(${q(basic.join(':'))})}\`,`);
  if (pairs.length > 0) options.push(`headers: {\n${indent(pairs.join('\n'), 2)}\n},`);
  // Pages cannot set cookies of others; the browser sends those that it has.
  if (!isNode && cookies.length > 0) options.push("credentials: 'include',");
  const needsFile = payload?.kind === 'file' || payload?.parts?.some(({ file }) => file !== undefined);
  if (needsFile && isNode) lines.push("import { openAsBlob } from 'node:fs';\n", `const file = await openAsBlob(${q(FILE)});`);
  else if (needsFile) lines.push(`const [file] = document.querySelector('input[type="file"]').files;`);
  if (payload?.kind === 'multipart') lines.push('const form = new FormData();', ...payload.parts.map(formLine));
  const body = fetchBody(payload);
  if (body) options.push(`body: ${body},`);
  const given = options.length > 0 ? `, {\n${indent(options.join('\n'), 2)}\n}` : '';
  return [...lines, `const response = await fetch(${q(url)}${given});`, 'console.log(response.status, await response.text());'].join('\n');
}

function formLine({ name, value, file, type }) {
  const q = quoteJavaScript;
  if (file !== undefined) return `form.append(${q(name)}, file);`;
  return `form.append(${q(name)}, ${type ? `new Blob([${q(value)}], { type: ${q(type)} })` : q(value)});`;
}

function fetchBody(payload) {
  const q = quoteJavaScript;
  if (payload === null) return '';
  if (payload.kind === 'file') return 'file';
  if (payload.kind === 'multipart') return 'form';
  if (payload.kind === 'form' && payload.pairs) {
    return `new URLSearchParams([\n${payload.pairs.map(([name, value]) => `  [${q(name)}, ${q(value)}],\n`).join('')}])`;
  }
  const value = payload.kind === 'text' ? parsed(payload) : undefined;
  return value === undefined ? q(payload.text) : `JSON.stringify(${literal(value, JAVASCRIPT)})`;
}

export function python(request) {
  const q = quotePython;
  const { method, url, headers, cookies, basic, payload } = request;
  const pairs = (all) => all.map(([name, value]) => `    ${q(name)}: ${q(value)},\n`).join('');
  const options = [];
  if (basic) options.push(`auth=(${q(basic[0])}, ${q(basic[1])}),`);
  // `requests` writes the length of a form and its boundary itself.
  if (headers.length > 0) options.push(`headers={\n${pairs(headers)}},`);
  if (cookies.length > 0) options.push(`cookies={\n${pairs(cookies)}},`);
  const body = pythonBody(payload);
  if (body) options.push(body);
  const inside = [q(method), q(url)].map((one) => `${one},`).concat(options).join('\n');
  return `import requests\n\nresponse = requests.request(\n${indent(inside, 4)}\n)\nprint(response.status_code, response.text)`;
}

function pythonBody(payload) {
  const q = quotePython;
  if (payload === null) return '';
  if (payload.kind === 'file') return `data=open(${q(FILE)}, "rb"),`;
  if (payload.kind === 'multipart') {
    const part = ({ name, value, file, type }) => {
      const content = file === undefined ? `None, ${q(value)}` : `"file", open(${q(FILE)}, "rb")`;
      return `    (${q(name)}, (${content}${type ? `, ${q(type)}` : ''})),\n`;
    };
    return `files=[\n${payload.parts.map(part).join('')}],`;
  }
  if (payload.kind === 'form' && payload.pairs) {
    return `data=[\n${payload.pairs.map(([name, value]) => `    (${q(name)}, ${q(value)}),\n`).join('')}],`;
  }
  const value = payload.kind === 'text' ? parsed(payload) : undefined;
  return value === undefined ? `data=${q(payload.text)}.encode(),` : `json=${literal(value, PYTHON)},`;
}

export function php(request) {
  const q = quotePhp;
  const { method, url, basic, payload } = request;
  const options = [`CURLOPT_CUSTOMREQUEST => ${q(method)},`, 'CURLOPT_RETURNTRANSFER => true,'];
  if (method === 'HEAD') options.push('CURLOPT_NOBODY => true,');
  if (basic) options.push(`CURLOPT_USERPWD => ${q(basic.join(':'))},`);
  const headers = allHeaders(request).map(([name, value]) => `    ${q(`${name}: ${value}`)},\n`);
  if (headers.length > 0) options.push(`CURLOPT_HTTPHEADER => [\n${headers.join('')}],`);
  if (payload?.kind === 'file') options.push(`CURLOPT_POSTFIELDS => file_get_contents(${q(FILE)}),`);
  else if (payload?.kind === 'multipart') options.push(`CURLOPT_POSTFIELDS => [\n${payload.parts.map(phpPart).join('')}],`);
  else if (payload) options.push(`CURLOPT_POSTFIELDS => ${q(payload.text)},`);
  return `<?php\n$curl = curl_init(${q(url)});\ncurl_setopt_array($curl, [\n${indent(options.join('\n'), 4)}\n]);\necho curl_exec($curl);`;
}

function phpPart({ name, value, file, type }) {
  const q = quotePhp;
  const typed = type ? `, ${q(type)}` : '';
  if (file !== undefined) return `    ${q(name)} => new CURLFile(${q(FILE)}${typed}),\n`;
  return `    ${q(name)} => ${type ? `new CURLStringFile(${q(value)}, "part"${typed})` : q(value)},\n`;
}

export function ruby(request) {
  const q = quoteRuby;
  const { method, url, basic, payload } = request;
  const name = method.charAt(0) + method.slice(1).toLowerCase();
  const lines = ['require "net/http"', '', `uri = URI(${q(url)})`, `request = Net::HTTP::${name}.new(uri)`];
  for (const [key, value] of allHeaders(request)) lines.push(`request[${q(key)}] = ${q(value)}`);
  if (basic) lines.push(`request.basic_auth(${q(basic[0])}, ${q(basic[1])})`);
  if (payload?.kind === 'file') lines.push(`request.body = File.binread(${q(FILE)})`);
  else if (payload?.kind === 'multipart') {
    const parts = payload.parts.map(({ name: part, value, file, type }) => {
      const options = type ? `, { content_type: ${q(type)} }` : '';
      return `    [${q(part)}, ${file === undefined ? q(value) : `File.open(${q(FILE)})`}${options}],\n`;
    });
    lines.push(`request.set_form(\n  [\n${parts.join('')}  ],\n  "multipart/form-data"\n)`);
  } else if (payload) lines.push(`request.body = ${q(payload.text)}`);
  lines.push('response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }');
  return [...lines, 'puts response.code, response.body'].join('\n');
}

export function powerShell(request) {
  const q = quotePowerShell;
  const { method, url, basic, payload } = request;
  const named = allHeaders(request).filter(([name]) => name !== 'Content-Type');
  const headers = named.map(([name, value]) => `${q(name)} = ${q(value)}`);
  if (basic) headers.push(`Authorization = 'Basic ' + [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes(${q(basic.join(':'))}))`);
  // No `indent` here: strings hold their line breaks as they are.
  const table = (rows) => `@{\n${rows.map((row) => `    ${row}\n`).join('')}  }`;
  const options = [`Method = ${q(method)}`, `Uri = ${q(url)}`];
  if (headers.length > 0) options.push(`Headers = ${table(headers)}`);
  if (payload?.kind === 'multipart') {
    // A table holds each name once.
    const parts = new Map(payload.parts.map(({ name, value, file }) => [q(name), file === undefined ? q(value) : `Get-Item ${q(FILE)}`]));
    options.push(`Form = ${table([...parts].map((part) => part.join(' = ')))}`);
  } else if (payload) {
    options.push(`ContentType = ${q(payload.type)}`);
    options.push(payload.kind === 'file' ? `InFile = ${q(FILE)}` : `Body = ${q(payload.kind === 'text' ? textOf(payload) : payload.text)}`);
  }
  return `$request = @{\n${options.map((option) => `  ${option}\n`).join('')}}\nInvoke-RestMethod @request`;
}

function parsed({ type, text }) {
  if (!/[/+]json\b/i.test(type)) return undefined;
  try {
    const value = JSON.parse(text);
    // Numbers that would lose digits, and keys that mean something else, are sent as they were written.
    const isSame = !/\d{16}|\d[eE]|__proto__/.test(text);
    return isSame ? value : undefined;
  } catch {
    return undefined;
  }
}

const JAVASCRIPT = { quote: quoteJavaScript, words: { true: 'true', false: 'false', null: 'null' }, step: 2 };
const PYTHON = { quote: quotePython, words: { true: 'True', false: 'False', null: 'None' }, step: 4 };

/** A JSON value as a language writes it. */
function literal(value, language, depth = 0) {
  const { quote, words, step } = language;
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return Object.hasOwn(words, String(value)) ? words[String(value)] : String(value);
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, language, depth + 1))
    : Object.entries(value).map(([name, item]) => `${quote(name)}: ${literal(item, language, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return open + close;
  const space = ' '.repeat(depth * step);
  return `${open}\n${items.map((item) => `${space}${' '.repeat(step)}${item},`).join('\n')}\n${space}${close}`;
}
