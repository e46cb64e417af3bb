import { decoded } from './page-client.js';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Markup {
  readonly elements: readonly Element[];
  /** What people read, of `title` and `textarea` too. */
  readonly text: string;
  /** What a careful template never has: attributes without quotes, the same attribute twice, comments, broken tags. */
  readonly faults: readonly string[];
}

/** Elements whose content is text for the parser, up to their end tag. */
const TEXT_ONLY = ['script', 'style', 'title', 'textarea'];
const TAG = /^<(\/?)([a-z][a-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>/i;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:="([^"]*)")?/g;

/** Reads a page as a browser's tokenizer does, and complains of every form of markup that our templates do not write. */
export function parseMarkup(html: string): Markup {
  const elements: Element[] = [];
  const faults: string[] = [];
  let text = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open < 0 ? html.length : open;
    text += decoded(html.slice(at, end));
    if (open < 0) break;
    const rest = html.slice(open);
    const tag = TAG.exec(rest);
    if (!tag) {
      if (!/^<!doctype html>/i.test(rest)) faults.push(`not a tag of ours: ${rest.slice(0, 80)}`);
      at = open + (/^<!doctype html>/i.exec(rest)?.[0].length ?? 1);
      continue;
    }
    at = open + tag[0].length;
    if (tag[1] === '/') continue;
    const name = (tag[2] ?? '').toLowerCase();
    elements.push({ name, attributes: attributesOf(tag[3] ?? '', faults) });
    if (!TEXT_ONLY.includes(name)) continue;
    const close = html.toLowerCase().indexOf(`</${name}`, at);
    const content = html.slice(at, close < 0 ? html.length : close);
    if (name === 'script' || name === 'style') elements.push({ name: `${name} content`, attributes: { content } });
    else text += decoded(content);
    at = close < 0 ? html.length : close;
  }
  return { elements, text, faults };
}

function attributesOf(written: string, faults: string[]): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of written.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase();
    if (Object.hasOwn(attributes, key)) faults.push(`${key} is there twice: ${written.slice(0, 80)}`);
    attributes[key] = decoded(value);
  }
  return attributes;
}

/** Links of the portal's own that hand its MCP server to an editor: a fixed place, and nothing in it but escaped text. */
const OWN_PROGRAMS = /^(?:cursor:\/\/anysphere\.cursor-deeplink|vscode:)\/?mcp\/install\?[\w%=&.~-]+$/;
const ADDRESSES = ['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'poster', 'background'];
const FORBIDDEN = [
  'iframe',
  'object',
  'embed',
  'base',
  'style',
  'frame',
  'applet',
  'template',
  'math',
  'animate',
  'set',
];

/** What in a page could run, or reach out, on behalf of whoever wrote its content. */
export function dangersOf({ elements, faults }: Markup): string[] {
  const dangers = [...faults];
  for (const { name, attributes } of elements) {
    const written = `${name} ${JSON.stringify(attributes)}`;
    if (FORBIDDEN.includes(name)) dangers.push(written);
    const data = name === 'script' && JSON.stringify(attributes) === '{"type":"application/ld+json"}';
    if (name === 'script' && !data && !/^\/(?:portal|admin)\/assets\/[\w.-]+\?v=[\w-]+$/.test(attributes.src ?? ''))
      dangers.push(written);
    if (name === 'script content' && !isDataOnly(attributes.content ?? '')) dangers.push(written);
    if (name === 'meta' && 'http-equiv' in attributes) dangers.push(written);
    for (const [attribute, value] of Object.entries(attributes)) {
      if (attribute.startsWith('on') || ['style', 'srcdoc', 'srcset', 'ping'].includes(attribute))
        dangers.push(written);
      if (ADDRESSES.includes(attribute) && !isHarmless(value)) dangers.push(written);
    }
  }
  return dangers;
}

// Nothing, or JSON for search engines in which no tag and no comment can begin or end.
function isDataOnly(content: string): boolean {
  if (content === '') return true;
  try {
    return !content.includes('<') && typeof JSON.parse(content) === 'object';
  } catch {
    return false;
  }
}

// As a browser reads it: it strips white space and control characters, and takes a backslash for a slash.
function isHarmless(address: string): boolean {
  const read = address.replace(/[\u0000-\u0020]/g, '').replaceAll('\\', '/');
  return read === '' || OWN_PROGRAMS.test(read) || /^(#|\?|\/(?!\/)|https?:\/\/|mailto:)/i.test(read);
}
