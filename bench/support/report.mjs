import { scenarios } from '../scenarios.mjs';

const DATABASES = { sqlite: 'SQLite', mysql: 'MariaDB' };

/** The portal beside the hand-written server. */
export function ratioTable(kind, results, [ours, raw]) {
  const rows = Object.entries(results).map(([name, result]) => [
    scenarios[name].title,
    ...[result.ours.perSecond, result.other.perSecond].map(whole),
    `**${result.ratio.toFixed(2)}**`,
    result.cpuRatio.toFixed(2),
    `${result.ours.p99} / ${result.other.p99}`,
    `${milliseconds(result.ours.cpuMsPerRequest)} / ${milliseconds(result.other.cpuMsPerRequest)}`,
    result.ours.loopDelayP99Ms.toFixed(1),
  ]);
  const head = [
    DATABASES[kind],
    'portal /s',
    'by hand /s',
    'ratio',
    'by CPU',
    'p99 ms',
    'server CPU ms',
    'loop delay p99 ms',
  ];
  return `\n${table([head, ...rows])}\n\n${footnote(results, ours, raw)}\n`;
}

/** The portal over few rows beside the portal over many. */
export function growthTable(kind, results, [small, large]) {
  const rows = Object.entries(results).map(([name, { ours, other, ratio }]) => [
    scenarios[name].title,
    whole(ours.perSecond),
    whole(other.perSecond),
    `**${ratio.toFixed(2)}**`,
    `${ours.p99} / ${other.p99}`,
    `${whole(ours.firstMs)} / ${whole(other.firstMs)}`,
  ]);
  const sizes = [small, large].map(({ client }) => `${whole(client.rows)} rows /s`);
  return `\n${table([[DATABASES[kind], ...sizes, 'times slower', 'p99 ms', 'first answer ms'], ...rows])}\n`;
}

/** The portal that counts calls beside itself that does not. */
export function countingTable(kind, results) {
  const rows = Object.entries(results).map(([name, { ours, other, ratio, cpuRatio }]) => [
    scenarios[name].title,
    whole(ours.perSecond),
    whole(other.perSecond),
    `**${ratio.toFixed(2)}**`,
    cpuRatio.toFixed(2),
    `${ours.p99} / ${other.p99}`,
  ]);
  return `\n${table([[DATABASES[kind], 'counted /s', 'not counted /s', 'ratio', 'by CPU', 'p99 ms'], ...rows])}\n`;
}

/** Keys with limits beside keys without. */
export function limitsTable(kind, results) {
  const rows = Object.values(results).map(({ name, place, ours, other, ratio, cpuRatio }) => [
    `${scenarios[name].title}, ${place}`,
    whole(ours.perSecond),
    whole(other.perSecond),
    `**${ratio.toFixed(2)}**`,
    cpuRatio.toFixed(2),
    `${ours.p99} / ${other.p99}`,
  ]);
  return `\n${table([[DATABASES[kind], 'with a plan /s', 'without /s', 'ratio', 'by CPU', 'p99 ms'], ...rows])}\n`;
}

/** Keys of what ends beside keys of what stays. */
export function endingTable(kind, results) {
  const rows = Object.entries(results).map(([name, { ours, other, ratio, cpuRatio }]) => [
    scenarios[name].title,
    whole(ours.perSecond),
    whole(other.perSecond),
    `**${ratio.toFixed(2)}**`,
    cpuRatio.toFixed(2),
    `${ours.p99} / ${other.p99}`,
  ]);
  return `\n${table([[DATABASES[kind], 'ending /s', 'staying /s', 'ratio', 'by CPU', 'p99 ms'], ...rows])}\n`;
}

/** How long reading takes. */
export function readingTable(kind, times) {
  const rows = Object.entries(times).map(([name, ms]) => [name, ms.toFixed(1)]);
  return `\n${table([[DATABASES[kind], 'ms'], ...rows])}\n`;
}

/** One worker beside several. */
export function workersTable(kind, results, workers) {
  const rows = Object.entries(results).map(([name, { ours, other, ratio }]) => [
    scenarios[name].title,
    whole(ours.perSecond),
    whole(other.perSecond),
    `**${(1 / ratio).toFixed(2)}**`,
    `${ours.p99} / ${other.p99}`,
  ]);
  const head = [DATABASES[kind], '1 worker /s', `${workers} workers /s`, 'times faster', 'p99 ms'];
  return `\n${table([head, ...rows])}\n`;
}

function footnote(results, ours, raw) {
  const last = Object.values(results).at(-1);
  const memory = `${whole(last.ours.rssMiB)} and ${whole(last.other.rssMiB)} MiB after the run`;
  return `Start to the first answer ${whole(ours.startMs)} and ${whole(raw.startMs)} ms; memory ${memory}.`;
}

function table([head, ...rows]) {
  const align = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function whole(number) {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

function milliseconds(number) {
  return number.toFixed(number < 1 ? 2 : 1);
}
