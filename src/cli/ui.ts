import { styleText } from 'node:util';
import type { Progress } from './progress.js';

export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?: () => boolean };

type Style = Parameters<typeof styleText>[0];

/** A question; what it asks for can always be given by `flag` instead. */
export interface Question {
  readonly message: string;
  /** Named when there is no terminal to ask on, for example `--email`. */
  readonly flag: string;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  /** @returns what is wrong with the answer */
  readonly validate?: (answer: string) => string | undefined;
}

export interface SelectQuestion<T extends string> extends Question {
  readonly choices: readonly { readonly value: T; readonly label?: string; readonly hint?: string }[];
  readonly default?: T;
}

/** How commands speak. Answers go to standard output, everything about them to standard error. */
export interface Ui {
  /** Whether somebody is there to answer questions. */
  readonly isInteractive: boolean;
  readonly isJson: boolean;
  line(text?: string): void;
  heading(text: string): void;
  success(text: string): void;
  /** Rows in aligned columns; the first row is the head. */
  table(rows: readonly (readonly string[])[]): void;
  /** The machine's answer; the only thing on standard output with `--json`. */
  json(value: unknown): void;
  /** A line beside the answer, on standard error. */
  note(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs something long: a spinner or bar on a terminal, plain lines elsewhere. */
  progress<T>(title: string, run: (progress: Progress) => Promise<T>): Promise<T>;
  /** All of standard input as text, for what must not stand on a command line. */
  readInput(): Promise<string>;
  /** @throws UsageError without a terminal, CancelledError when the user leaves; the same for the others */
  askText(question: TextQuestion): Promise<string>;
  askPassword(question: TextQuestion): Promise<string>;
  confirm(question: Question & { readonly default?: boolean }): Promise<boolean>;
  select<T extends string>(question: SelectQuestion<T>): Promise<T>;
}

/** @param json with it, all but `json()` goes to standard error */
export function createUi(terminal: Terminal, json: boolean): Ui {
  const { stdin, stdout, stderr } = terminal;
  const answers = json ? stderr : stdout;
  const isInteractive = !json && stdin.isTTY === true && stdout.isTTY === true;
  const write = (output: Output, text: string) => void output.write(`${text}\n`);
  const paint = (output: Output, style: Style, text: string) =>
    output.hasColors?.() === true ? styleText(style, text, { validateStream: false }) : text;
  // Loaded when first asked: clack costs as much to import as the rest of the CLI.
  const prompts = async () => (await import('./prompts.js')).createPrompts(isInteractive);

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
