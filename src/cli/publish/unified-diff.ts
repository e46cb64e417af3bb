import { structuredPatch } from 'diff';

/**
 * What turns one text into the other, as `diff -u` writes it; empty for equal texts. Line ends do not count.
 * @param names of both, for the head
 */
export function unifiedDiff(before: string, after: string, names: readonly [string, string]): string {
  const { hunks } = structuredPatch(...names, withLineEnds(before), withLineEnds(after), '', '', { context: 3 });
  if (hunks.length === 0) return '';
  // Written here, because the package's formatPatch quotes names beyond ASCII and counts single lines, unlike `diff -u`.
  const parts = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
  return [`--- ${names[0]}`, `+++ ${names[1]}`, ...parts].join('\n');
}

function withLineEnds(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
}

function range(start: number, length: number): string {
  if (length === 1) return String(start);
  return `${length === 0 ? start - 1 : start},${length}`;
}
