import { styleText } from 'node:util';
import type { Output, Terminal, Ui } from './ui.js';

type Style = Parameters<typeof styleText>[0];

/** @param json sends everything except `json()` to standard error */
export function createUi(terminal: Terminal, json: boolean): Ui {
  const { stdin, stdout, stderr } = terminal;
  const answers = json ? stderr : stdout;
  const isInteractive = !json && stdin.isTTY === true && stdout.isTTY === true;
  const write = (output: Output, text: string) => void output.write(`${text}\n`);
  const paint = (output: Output, style: Style, text: string) =>
    output.hasColors?.() === true ? styleText(style, text, { validateStream: false }) : text;
  // Loaded on first use: importing clack costs as much as the rest of the CLI.
  const prompts = async () => (await import('./prompts.js')).createPrompts(isInteractive, terminal);

  return {
    isInteractive,
    isJson: json,
    line: (text = '') => write(answers, text),
    heading: (text) => write(answers, paint(answers, 'bold', text)),
    success: (text) => write(answers, `${paint(answers, 'green', '✓')} ${text}`),
    table: (rows) => write(answers, alignColumns(rows)),
    json: (value) => write(stdout, JSON.stringify(value, null, 2)),
    note: (text) => write(stderr, text),
    warn: (text) => write(stderr, `${paint(stderr, 'yellow', 'Warning:')} ${text}`),
    error: (text) => write(stderr, `${paint(stderr, 'red', 'Error:')} ${text}`),
    progress: async (title, run) => (await import('./progress.js')).showProgress(isInteractive, stderr, title, run),
    readInput: async () => (await import('node:stream/consumers')).text(stdin),
    askText: async (question) => (await prompts()).askText(question),
    askPassword: async (question) => (await prompts()).askPassword(question),
    confirm: async (question) => (await prompts()).confirm(question),
    select: async (question) => (await prompts()).select(question),
  };
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
