import { append, el, link } from './reference-dom.js';

// The part of Markdown that descriptions use, as elements: paragraphs, headings, lists, tables, quotes, code, emphasis and
// links. HTML stays text, pictures become their text, and every pattern runs in linear time.

const LONGEST = 50000;
const BLOCK = /^(?:#{1,6} |```|~~~|> ?|[-*+] |\d{1,9}[.)] )/;

export function markdown(text) {
  const lines = text.slice(0, LONGEST).replace(/\r\n?/g, '\n').split('\n');
  const root = el('div', { class: 'prose', dir: 'auto' });
  let at = 0;
  while (at < lines.length) at = block(lines, at, root);
  return root;
}

/** Room for a sentence or two in one line of a fold. */
const LONGEST_SUMMARY = 160;

/**
 * The beginning of a description as one line without marks: its first paragraph, or as many sentences or words of it as fit.
 * @returns `{text, isWhole}` whether that is all there is
 */
export function summaryOf(description) {
  const [paragraph] = description.trim().split(/\n\s*\n/, 1);
  const line = paragraph.replace(/\s+/g, ' ').replaceAll('`', '');
  const isAll = paragraph.length === description.trim().length;
  if (line.length <= LONGEST_SUMMARY) return { text: line, isWhole: isAll };
  const start = line.slice(0, LONGEST_SUMMARY);
  const sentence = Math.max(...['. ', '! ', '? ', '؟ '].map((end) => start.lastIndexOf(end)));
  if (sentence > 0) return { text: start.slice(0, sentence + 1), isWhole: false };
  const word = start.lastIndexOf(' ');
  return { text: `${word > 0 ? start.slice(0, word) : start} …`, isWhole: false };
}

function block(lines, at, root) {
  const line = lines[at].trimEnd();
  if (line.trim() === '') return at + 1;
  const fence = /^\s{0,3}(```|~~~)/.exec(line);
  if (fence) return code(lines, at, fence[1], root);
  const heading = /^(#{1,6}) (.*)$/.exec(line);
  if (heading) {
    root.append(append(el('p', { class: 'reference-heading' }), inline(heading[2].replace(/ #+$/, ''))));
    return at + 1;
  }
  if (/^\s{0,3}(?:[-*+]|\d{1,9}[.)]) /.test(line)) return list(lines, at, root);
  if (line.startsWith('>')) return quote(lines, at, root);
  if (line.includes('|') && isRule(lines[at + 1])) return table(lines, at, root);
  return paragraph(lines, at, root);
}

function code(lines, at, fence, root) {
  let end = at + 1;
  while (end < lines.length && !lines[end].trimStart().startsWith(fence)) end += 1;
  root.append(el('pre', { dir: 'ltr', tabindex: 0 }, el('code', {}, lines.slice(at + 1, end).join('\n'))));
  return end + 1;
}

function list(lines, at, root) {
  const isOrdered = /^\s{0,3}\d/.test(lines[at]);
  const target = el(isOrdered ? 'ol' : 'ul');
  const item = isOrdered ? /^\s*\d{1,9}[.)] (.*)$/ : /^\s*[-*+] (.*)$/;
  let end = at;
  while (end < lines.length) {
    const found = item.exec(lines[end]);
    if (found) target.append(append(el('li'), inline(found[1])));
    else if (lines[end].trim() !== '' && /^\s/.test(lines[end])) {
      append(target.lastElementChild ?? target, [' ', ...inline(lines[end].trim())]);
    } else break;
    end += 1;
  }
  root.append(target);
  return end;
}

function quote(lines, at, root) {
  let end = at;
  while (end < lines.length && lines[end].startsWith('>')) end += 1;
  const text = lines.slice(at, end).map((line) => line.replace(/^> ?/, ''));
  root.append(append(el('blockquote'), inline(text.join('\n'))));
  return end;
}

const isRule = (line) => line !== undefined && line.includes('-') && /^[\s|:-]+$/.test(line);
const cells = (line) => line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');

function table(lines, at, root) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes('|')) end += 1;
  const row = (line, name) =>
    append(
      el('tr'),
      cells(line).map((cell) => append(el(name), inline(cell.trim()))),
    );
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  root.append(el('table', { tabindex: 0 }, el('thead', {}, row(lines[at], 'th')), el('tbody', {}, body)));
  return end;
}

function paragraph(lines, at, root) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== '' && !BLOCK.test(lines[end])) end += 1;
  root.append(append(el('p'), inline(lines.slice(at, end).join('\n'))));
  return end;
}

const INLINE =
  /(`+)([^`]{1,1000})\1|!?\[([^\]\n]{1,500})\]\(([^()\s]{1,1000})(?:\s"[^"\n]{0,200}")?\)|\*\*([^*\n]{1,1000})\*\*|__([^_\n]{1,1000})__|\*([^*\s][^*\n]{0,1000})\*|(https?:\/\/[^\s<>"'`()[\]]{1,1000})/g;

/** Text with its emphasis, code and links, as nodes. */
function inline(text) {
  const nodes = [];
  let last = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, , code, label, address, strong, strongToo, emphasis, bare] = found;
    nodes.push(text.slice(last, found.index));
    last = found.index + all.length;
    if (code !== undefined) nodes.push(el('code', {}, code));
    else if (label !== undefined) nodes.push(all.startsWith('!') ? label : link(address, label));
    else if (bare !== undefined) nodes.push(link(bare.replace(/[.,;:!?]+$/, ''), bare));
    else if (emphasis !== undefined) nodes.push(el('em', {}, emphasis));
    else nodes.push(el('strong', {}, strong ?? strongToo));
  }
  nodes.push(text.slice(last));
  return nodes;
}
