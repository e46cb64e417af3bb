import { structuredPatch } from 'diff';

/**
 * The difference of two texts in the format of `diff -u`; empty for equal texts. Line endings are ignored.
 * @param names of both, for the header
 */
export function unifiedDiff(before: string, after: string, names: readonly [string, string]): string {
  const { hunks } = structuredPatch(...names, withLineEnds(before), withLineEnds(after), '', '', { context: 3 });
  if (hunks.length === 0) return '';
  // Done by hand: unlike `diff -u`, the package's formatPatch quotes non-ASCII names and writes counts of 1.
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
