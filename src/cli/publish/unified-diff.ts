const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * What turns one text into the other, as `diff -u` writes it; empty for equal texts. Line ends do not count.
 * @param names of both, for the head
 */
export function unifiedDiff(before: string, after: string, names: readonly [string, string]): string {
  const lines = compareLines(linesOf(before), linesOf(after));
  const hunks = hunksOf(lines);
  if (hunks.length === 0) return '';
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...hunks].join('\n');
}

function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

// Equal beginnings and ends are taken off first: what remains of a view is short enough for a table of all pairs.
function compareLines(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  // longest[i * width + j]: length of the longest common part of before[i…] and after[j…]
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i] ?? '' });
      [i, j] = [i + 1, j + 1];
    } else if (j === after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: before[i++] ?? '' });
    } else {
      lines.push({ mark: '+', text: after[j++] ?? '' });
    }
  }
  return lines;
}

function hunksOf(lines: readonly Line[]): string[] {
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const ranges: { start: number; end: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last && index - CONTEXT <= last.end) last.end = index + CONTEXT + 1;
    else ranges.push({ start: Math.max(0, index - CONTEXT), end: index + CONTEXT + 1 });
  }
  return ranges.map(({ start, end }) => {
    const part = lines.slice(start, end);
    const span = (own: '-' | '+') => {
      const isOwn = ({ mark }: Line) => mark === ' ' || mark === own;
      const length = part.filter(isOwn).length;
      const first = lines.slice(0, start).filter(isOwn).length + (length === 0 ? 0 : 1);
      return `${own}${first}${length === 1 ? '' : `,${length}`}`;
    };
    return [`@@ ${span('-')} ${span('+')} @@`, ...part.map(({ mark, text }) => mark + text)].join('\n');
  });
}
