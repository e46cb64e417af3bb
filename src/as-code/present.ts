import type { Act } from './planner.js';

const SIGNS = { create: '+', update: '~', draft: '~', delete: '-', manage: '=' } as const;
const LONGEST = 60;

/** The plan for people, a line for each record and one for each field. */
export function planAsText(acts: readonly Act[]): string[] {
  return acts.flatMap((act) => [
    `${SIGNS[act.what]} ${act.kind}/${act.key}${noteOf(act)}`,
    ...Object.entries(act.changes).map(([field, [before, after]]) =>
      act.what === 'create'
        ? `    ${field}: ${shorten(after)}`
        : `    ${field}: ${shorten(before)} → ${shorten(after)}`,
    ),
  ]);
}

/** The plan as a comment of a pull request. */
export function planAsMarkdown(acts: readonly Act[]): string {
  if (acts.length === 0) return '### Portal: no changes\n';
  const rows = acts.map((act) => {
    const fields = Object.keys(act.changes).map((field) => `\`${field}\``);
    return `| ${SIGNS[act.what]} ${act.what} | \`${act.kind}/${act.key}\` | ${fields.join(', ')}${noteOf(act)} |`;
  });
  const details = [
    '```diff',
    ...planAsText(acts).map((line) => line.replace(/^~/, '!').replaceAll('```', "'''")),
    '```',
  ];
  return [
    `### Portal: ${summaryOf(acts)}`,
    ...['', '| | Record | Fields |', '|---|---|---|', ...rows],
    ...['', '<details><summary>Details</summary>', '', ...details, '', '</details>', ''],
  ].join('\n');
}

/** `2 to create, 1 to change`. */
export function summaryOf(acts: readonly Act[]): string {
  const labels = {
    create: 'to create',
    update: 'to change',
    draft: 'to make a draft',
    delete: 'to delete',
    manage: 'to mark',
  };
  const counted = Object.entries(labels).map(
    ([what, word]) => [acts.filter((act) => act.what === what).length, word] as const,
  );
  const parts = counted.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return parts.length === 0 ? 'no changes' : parts.join(', ');
}

function noteOf({ keys, what }: Act): string {
  if (keys === undefined || keys === 0) return '';
  return ` (${keys} ${keys === 1 ? 'key carries' : 'keys carry'} it${what === 'draft' ? '; a draft, not deleted' : ''})`;
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  const line = text.replaceAll(/\s+/g, ' ');
  if (value === null || value === undefined) return 'nothing';
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
